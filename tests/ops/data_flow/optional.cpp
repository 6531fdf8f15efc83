#include <flowgraph/ops/data_flow/optional.hpp>

#include "../evaluate.hpp"

#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

using fg::error_code;

namespace {

struct optional_graph {
  fg::graph g;
  fg::out<float> x = g.placeholder<float>("x", {2});
  const fg::tensor<float> given{{2}, {3, 4}};

  template <class T> std::vector<T> run(const fg::out<T>& y) {
    fg::session s{g};
    auto step = s.prepare(fg::feed(x), fg::fetch(y));
    const auto once = ops_test::values(s.run(fg::fetch(y), {{x, given}}));
    CHECK(ops_test::values(fg::tensor<T>(step(given))) == once);
    return once;
  }
  template <class T> error_code code(const fg::out<T>& y) {
    const auto made = fg::session{g}.try_run(fg::fetch(y), {{x, given}});
    return made ? error_code::ok : made.error().code();
  }
};

}  // namespace

TEST_CASE("optional: gives what was put into it, or says that there is nothing") {
  optional_graph t;
  const auto some = fg::optional_of(t.x, t.g.constant(7), t.g.constant(std::string("word")));
  const auto [x, n, word] = fg::values_of<float, std::int32_t, std::string>(some);
  CHECK(t.run(x) == std::vector<float>{3, 4});
  CHECK(t.run(n) == std::vector<std::int32_t>{7});
  CHECK(fg::session{t.g}.run(fg::fetch(word), {{t.x, t.given}}).scalar() == "word");
  const auto none = fg::no_optional(t.g);
  CHECK(t.run(fg::has_value(some)) == std::vector<bool>{true});
  CHECK(t.run(fg::has_value(none)) == std::vector<bool>{false});
  CHECK(t.code(fg::values_of<float>(none)) == error_code::invalid_argument);
  CHECK(t.code(fg::values_of<float>(some)) == error_code::invalid_argument);
  CHECK(t.code(fg::values_of<std::int32_t>(fg::optional_of(t.x))) == error_code::invalid_argument);
}

TEST_CASE("optional: its gradient is an optional of gradients") {
  optional_graph t;
  const auto [a, n, b] = fg::values_of<float, std::int32_t, float>(fg::optional_of(t.x * t.x, t.g.constant(7), t.x * 2.f));
  CHECK(t.run(fg::out<float>(fg::gradients(fg::sum(a * a), t.x))) == std::vector<float>{108, 256});
  CHECK(t.run(fg::out<float>(fg::gradients(fg::sum(a * b), t.x))) == std::vector<float>{54, 96});
}

TEST_CASE("optional: goes round a loop, with its gradient") {
  optional_graph t;
  const auto last = fg::while_loop(
      std::tuple{t.g.constant(0), fg::optional_of(t.x)}, [](auto i, auto) { return i < 3; },
      [](auto i, auto kept) {
        return std::tuple{i + 1, fg::optional_of(fg::values_of<float>(kept) * 2.f)};
      });
  const auto y = fg::values_of<float>(std::get<1>(last));
  CHECK(t.run(y) == std::vector<float>{24, 32});
  CHECK(t.run(fg::out<float>(fg::gradients(fg::sum(y * y), t.x))) == std::vector<float>{384, 512});
}
