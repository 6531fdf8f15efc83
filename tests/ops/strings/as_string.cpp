#include <flowgraph/ops/strings/as_string.hpp>

#include "../../harness/engine_ops.hpp"

namespace fg = flowgraph;

TEST_CASE("numbers as text, as printf would write them") {
  fg::graph g;
  fg::session s{g};
  const auto text = [&](
                        auto value, void (*style)(fg::as_string_op&) = [](fg::as_string_op&) {}) {
    fg::as_string_op how;
    style(how);
    return s.run(fg::fetch(fg::as_string(g.constant(value), how))).scalar();
  };
  CHECK(text(6.279) == "6.279000");
  CHECK(text(1.f / 3, [](auto& how) { how.shortest = true; }) == "0.333333");
  CHECK(text(5.4e-1, [](auto& how) { how.scientific = true, how.precision = 3, how.width = 12; }) == "   5.400e-01");
  CHECK(text(-6, [](auto& how) { how.width = 6, how.fill = "0"; }) == "-00006");
  CHECK(text(7, [](auto& how) { how.width = 4, how.fill = "+"; }) == "  +7");
  CHECK(text(true) == "true");
  const std::string letters = "abcdef";
  CHECK(text(letters, [](auto& how) { how.width = 5, how.precision = 2; }) == "   ab");
  CHECK(text(letters, [](auto& how) { how.width = 5, how.precision = 2, how.fill = "-"; }) == "ab   ");
  CHECK(text(letters, [](auto& how) { how.width = 5, how.precision = 0; }) == "     ");
  CHECK(text(letters, [](auto& how) { how.precision = 2; }) == "abcdef");
  CHECK(text(fg::complex64(1, -2)) == "(1.000000,-2.000000)");
  const auto with_point = [&](double x, bool is_short, bool is_scientific, std::int64_t precision) {
    fg::as_string_op how;
    how.fill = "#", how.shortest = is_short, how.scientific = is_scientific, how.precision = precision;
    return s.run(fg::fetch(fg::as_string(g.constant(x), how))).scalar();
  };
  CHECK(with_point(3, false, false, 0) == "3.");
  CHECK(with_point(30, false, true, 0) == "3.e+01");
  CHECK(with_point(2.5, true, false, -1) == "2.50000");
  CHECK(with_point(1e20, true, false, 3) == "1.00e+20");
  CHECK(with_point(0.00012, true, false, 4) == "0.0001200");
  CHECK(with_point(0, true, false, -1) == "0.00000");
}

TEST_CASE("tensors within a text: long ones with the elements at their ends") {
  fg::graph g;
  const auto numbers = g.constant(fg::tensor<std::int32_t>({8}, {1, 2, 3, 4, 5, 6, 7, 8}));
  const auto rows = g.constant(fg::tensor<float>({2, 2}, {1.5f, 2, 1.f / 3, 4}));
  const auto words = g.constant(fg::tensor<std::string>({1}, {"a\"b\n"}));
  const auto text = fg::string_format("{}; {}; {}", {numbers, rows, words});
  fg::session s{g};
  CHECK(s.run(fg::fetch(text)).scalar() == "[1 2 3 ... 6 7 8]; [[1.5 2]\n [0.333333343 4]]; [\"a\\\"b\\n\"]");
}

TEST_CASE("string_format: no elements of any input, scalars among them") {
  fg::graph g;
  fg::string_format_op op;
  op.text = "%s; %s; %s";
  op.placeholder = "%s";
  op.summarize = 0;
  const auto text = fg::apply(
      op, fg::any_out_list{g.constant(fg::tensor<float>({3})), g.constant<float>(1), g.constant(fg::tensor<std::string>("a"))});
  fg::session s{g};
  CHECK(s.run(fg::fetch(text)).scalar() == "[ ...]; ...; ...");
  const fg::out<bool> flags = g.constant(fg::tensor<bool>({2}, {true, false}));
  const auto numbers = g.constant(fg::tensor<fg::complex64>({2, 2}, {1, 2, 3, 4}));
  op.text = "%s; %s";
  CHECK(s.run(fg::fetch(fg::apply(op, fg::any_out_list{flags, numbers}))).scalar() == "; [...]");
  op.summarize = 3;
  CHECK(s.run(fg::fetch(fg::apply(op, fg::any_out_list{flags, numbers}))).scalar() == "[1 0]; [? ? ?...]");
}
