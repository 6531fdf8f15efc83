#include <flowgraph/observe/not_finite.hpp>

#include <flowgraph/ops/control_flow/while_loop.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/operators.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/optimizer.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace fg = flowgraph;

namespace {
const fg::session_options unpruned{.passes = fg::pass_options::none()};
}

TEST_CASE("not finite: the node that makes the first NaN, with its inputs, not those that hand it on") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {fg::any});
  auto root = fg::log(x - 1.f, {"root"});
  auto y = fg::exp(root * 2.f + 1.f, {"y"});
  fg::session s{g, unpruned};
  fg::finite_check check;
  s.run(fg::fetch(y), {{x, fg::tensor<float>({2}, {3, 4})}}, {.measure = &check});
  CHECK_FALSE(check.found());
  s.run(fg::fetch(y), {{x, fg::tensor<float>({3}, {3, 0.5f, 4})}}, {.measure = &check});
  REQUIRE(check.found());
  CHECK(check.found()->node == "root");
  CHECK(check.found()->op == "Log<float>");
  CHECK(check.found()->run == 1);
  CHECK(check.found()->iteration.empty());
  CHECK(check.found()->output.not_numbers == 1);
  REQUIRE(check.found()->inputs.size() == 1);
  CHECK(*check.found()->inputs[0].least == -0.5);
  CHECK(*check.found()->inputs[0].greatest == 3);
  CHECK(check.found()->text().starts_with("root (Log<float>) in run 1\n  output root: float[3] from "));
}

TEST_CASE("not finite: the iteration of a loop in which it begins") {
  fg::graph g;
  auto [n, v] = fg::while_loop(
      std::tuple{g.constant(0), g.constant(1.f)}, [](auto i, auto) { return i < 20; },
      [](auto i, auto x) {
        return std::tuple{i + 1, fg::exp(x, {"grow"})};
      });
  fg::session s{g, unpruned};
  fg::finite_check check;
  s.run(fg::fetch(v), {}, {.measure = &check});
  REQUIRE(check.found());
  CHECK(check.found()->node.ends_with("grow"));
  CHECK(check.found()->iteration.starts_with("3 of "));  // 1, 2.7, 15, 3.8e6, infinite
  CHECK(check.found()->output.infinite == 1);
  REQUIRE(check.found()->inputs.size() == 1);
  CHECK(*check.found()->inputs[0].least == doctest::Approx(3814279.1));
}

TEST_CASE("not finite: infinite masks are constants, and no fault; feeds and variables are looked at") {
  fg::graph g;
  const float infinite = std::numeric_limits<float>::infinity();
  auto x = g.placeholder<float>("x", {2});
  auto masked = x + g.constant(fg::tensor<float>({2}, {0, -infinite}));
  auto y = fg::exp(masked, {"y"});
  fg::session s{g, unpruned};
  fg::finite_check check;
  s.run(fg::fetch(y), {{x, fg::tensor<float>({2}, {1, 2})}}, {.measure = &check});
  CHECK_FALSE(check.found());
  fg::finite_check numbers({.infinities = false});
  s.run(fg::fetch(y), {{x, fg::tensor<float>({2}, {1, infinite})}}, {.measure = &numbers});
  REQUIRE(numbers.found());
  CHECK(numbers.found()->op == "AddV2<float>");  // infinity - infinity
  s.run(fg::fetch(y), {{x, fg::tensor<float>({2}, {1, infinite})}}, {.measure = &check});
  REQUIRE(check.found());
  CHECK(check.found()->op == "feed");
}

TEST_CASE("not finite: a step that is too long ends in the update that makes the variable infinite") {
  fg::graph g;
  auto w = g.variable("w", fg::tensor<float>({1}, {1.5f}));
  auto loss = fg::sum(fg::square(fg::square(w)));
  auto train = fg::sgd{.rate = 100.f}.minimize(loss);
  fg::session s{g, unpruned};
  s.initialize();
  fg::finite_check check;
  std::size_t step = 0;
  for (; step < 20 && !check.found(); ++step) s.run(train, {}, {.measure = &check});
  REQUIRE(check.found());
  CHECK(check.found()->run + 1 == step);
  CHECK(step > 1);
  CHECK(check.found()->output.infinite == 1);
  for (const auto& input : check.found()->inputs) CHECK((input.is_finite() || input.name == "w"));
}
