#include <flowgraph/ops/state/variable_behind.hpp>

#include <flowgraph/flowgraph.hpp>

#include <doctest/doctest.h>

namespace fg = flowgraph;

TEST_CASE("variable_behind: gives one edge for a handle, refuses other edges and other types") {
  fg::graph g;
  const auto h = fg::apply_in<float>(g, fg::var_handle_op{.declared = {2}}, {"scope/w"});
  const auto w = fg::variable_behind<float>(h).value();
  CHECK(w.name() == "scope/w/Variable");
  CHECK(w.shape() == fg::shape{2});
  CHECK(fg::variable_behind<float>(h).value() == w);
  CHECK(w.initializer == nullptr);
  const auto refused = [](const auto& r, const char* text) {
    REQUIRE(!r);
    CHECK(std::string(r.error().message()).find(text) != std::string::npos);
  };
  refused(fg::variable_behind<double>(h), "is float, expected double");
  refused(fg::variable_behind<float>(fg::identity(h)), "expected the handle of a variable, found 'Identity'");
  refused(fg::variable_behind<float>({}), "expected the handle of a variable");
}

TEST_CASE("variable_behind: reads and writes the variable that the handle names") {
  fg::graph g;
  const auto h = fg::apply_in<float>(g, fg::var_handle_op{.declared = {2}}, {"w"});
  const auto first = fg::apply_as<float>({}, fg::assign_variable_op{}, h, g.constant(fg::tensor<float>({2}, {1, 2})));
  const auto w = fg::variable_behind<float>(h).value();
  const auto grown = fg::assign_add(w, g.constant(fg::tensor<float>({2}, {10, 20})));
  const auto seen = fg::apply_as<float>({}, fg::read_variable_op{}, h);
  fg::session s{g};
  CHECK(!s.try_run(fg::fetch(w)));
  s.run(first);
  CHECK(s.run(fg::fetch(w))[1] == 2);
  auto step = s.prepare(fg::feed(), fg::fetch(seen), grown);
  CHECK(step()[0] == 11);
  CHECK(step()[0] == 21);
  CHECK(s.run(fg::fetch(w))[1] == 42);
}

TEST_CASE("variable_behind: gradients by a handle go through all that reads the variable") {
  fg::graph g;
  const auto h = fg::apply_in<float>(g, fg::var_handle_op{.declared = {2}}, {"w"});
  const auto first = fg::apply_as<float>({}, fg::assign_variable_op{}, h, g.constant(fg::tensor<float>({2}, {3, 4})));
  const auto w = fg::variable_behind<float>(h).value();
  const auto read = [](const fg::out<fg::resource>& from) { return fg::apply_as<float>({}, fg::read_variable_op{}, from); };
  const auto loss = fg::sum(fg::square(read(h)) + read(fg::identity(h)) * 5.f + w * 7.f);
  fg::session s{g};
  s.run(first);
  const auto by_handle = fg::gradients(loss, fg::any_out_list{h});
  const auto by_variable = fg::gradients(loss, w);
  const auto values = s.run(fg::fetch(fg::grad<float>(by_handle[0]).dense(), by_variable.dense()));
  for (const auto* d : {&std::get<0>(values), &std::get<1>(values)}) {
    CHECK((*d)[0] == 2 * 3 + 5 + 7);
    CHECK((*d)[1] == 2 * 4 + 5 + 7);
  }
  CHECK(!fg::gradients(fg::sum(g.constant(fg::tensor<float>({1}, {1}))), fg::any_out_list{h}, {.allow_none = true})[0]);
}

TEST_CASE("variable_behind: a handle that goes round in a loop, or is handed through a branch, gets the whole gradient") {
  fg::graph g;
  const auto h = fg::apply_in<float>(g, fg::var_handle_op{.declared = {}}, {"w"});
  const auto first = fg::apply_as<float>({}, fg::assign_variable_op{}, h, g.constant(2.f));
  const auto read = [](const fg::out<fg::resource>& from) { return fg::apply_as<float>({}, fg::read_variable_op{}, from); };
  const auto [n, y, last] = fg::while_loop(
      std::tuple(g.constant(std::int32_t(0)), g.constant(1.f), h),
      [](fg::out<std::int32_t> i, fg::out<float>, fg::out<fg::resource>) { return i < 3; },
      [&](fg::out<std::int32_t> i, fg::out<float> x, fg::out<fg::resource> of) {
        return std::tuple(i + 1, x * fg::reshape(read(of), fg::shape{}), of);
      });
  const auto side = g.placeholder<bool>("side", {});
  const auto sides = fg::switch_(h, side);
  const auto chosen =
      fg::merge({read(sides.if_false) * 10.f, fg::identity(g.constant(1.f), {"one"}) + read(sides.if_true) * 100.f});
  const auto loss = y + chosen.value + read(last);
  const auto d = fg::grad<float>(fg::gradients(loss, fg::any_out_list{h})[0]).dense();
  fg::session s{g};
  s.run(first);
  CHECK(s.run(fg::fetch(d), {{side, fg::tensor<bool>(false)}}).scalar() == 3 * 4 + 10 + 1);
  CHECK(s.run(fg::fetch(d), {{side, fg::tensor<bool>(true)}}).scalar() == 3 * 4 + 100 + 1);
}

TEST_CASE("variable_behind: gradients by a handle go through loops in loops, once and twice") {
  fg::graph g;
  const auto h = fg::apply_in<float>(g, fg::var_handle_op{.declared = {}}, {"w"});
  const auto first = fg::apply_as<float>({}, fg::assign_variable_op{}, h, g.constant(2.f));
  using handle = fg::out<fg::resource>;
  const auto read = [](const handle& from) {
    return fg::reshape(fg::apply_as<float>({}, fg::read_variable_op{}, from), fg::shape{});
  };
  // x * w^4, by a handle that is constant in both loops, or goes round in both.
  const auto power = [&](bool goes_round) {
    const auto outer = fg::while_loop(
        std::tuple(g.constant(std::int32_t(0)), g.constant(1.f), h),
        [](fg::out<std::int32_t> i, fg::out<float>, handle) { return i < 2; },
        [&](fg::out<std::int32_t> i, fg::out<float> x, handle of) {
          const auto inner = fg::while_loop(
              std::tuple(g.constant(std::int32_t(0)), x, of),
              [](fg::out<std::int32_t> j, fg::out<float>, handle) { return j < 2; },
              [&](fg::out<std::int32_t> j, fg::out<float> y, handle at) {
                return std::tuple(j + 1, y * read(goes_round ? at : h), at);
              });
          return std::tuple(i + 1, std::get<1>(inner), of);
        });
    return std::get<1>(outer);
  };
  fg::session s{g};
  s.run(first);
  for (const bool goes_round : {false, true}) {
    CAPTURE(goes_round);
    const auto once = fg::grad<float>(fg::gradients(power(goes_round), fg::any_out_list{h})[0]).dense();
    CHECK(s.run(fg::fetch(once)).scalar() == 4 * 8);
    const auto twice = fg::grad<float>(fg::gradients(once, fg::any_out_list{h})[0]).dense();
    CHECK(s.run(fg::fetch(twice)).scalar() == 12 * 4);
  }
}
