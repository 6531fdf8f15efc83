#include <flowgraph/ops/math/comparison.hpp>

#include "../evaluate.hpp"

#include <limits>

using namespace ops_test;

TEST_CASE("NaN equals nothing, not even itself") {
  const auto x = vector<float>({std::numeric_limits<float>::quiet_NaN(), 1});
  CHECK(values(evaluate([](auto a) { return fg::equal(a, a); }, x)) == std::vector<bool>{false, true});
  CHECK(values(evaluate([](auto a) { return fg::not_equal(a, a); }, x)) == std::vector<bool>{true, false});
  CHECK(values(evaluate([](auto a) { return fg::less_equal(a, a); }, x)) == std::vector<bool>{false, true});
  CHECK(values(evaluate([](auto a) { return fg::greater_equal(a, a); }, x)) == std::vector<bool>{false, true});
}

TEST_CASE("strings are compared") {
  auto y = evaluate_once(
      true, {}, [](auto a) { return fg::equal(a, std::string("b")); }, vector<std::string>({"a", "b"}));
  CHECK(values(y) == std::vector<bool>{false, true});
}

TEST_CASE("shapes that do not broadcast are unequal, where the op is told so") {
  const auto a = vector<float>({1, 2}), b = vector<float>({1, 2, 3});
  auto equal = evaluate([](auto x, auto y) { return fg::apply(fg::equal_op{{}, false}, x, y); }, a, b);
  CHECK(equal.shape() == fg::shape{});
  CHECK_FALSE(equal.scalar());
  CHECK(evaluate([](auto x, auto y) { return fg::apply(fg::not_equal_op{{}, false}, x, y); }, a, b).scalar());
  CHECK(evaluate([](auto x, auto y) { return fg::apply(fg::equal_op{{}, false}, x, y); }, a, a).size() == 2);
}

TEST_CASE("select chooses elements, rows, or all, with conditions of each form") {
  const auto a = counting<float>({2, 2});
  const fg::tensor<float> b({2, 2}, {-1, -2, -3, -4});
  auto choose = [](auto c, auto x, auto y) { return fg::apply(fg::select_op{}, c, x, y); };
  CHECK(values(evaluate(choose, fg::tensor<bool>({2, 2}, {true, false, false, true}), a, b)) == std::vector<float>{1, -2, -3, 4});
  CHECK(values(evaluate(choose, vector<bool>({true, false}), a, b)) == std::vector<float>{1, 2, -3, -4});
  CHECK(values(evaluate(choose, fg::tensor<bool>(false), a, b)) == values(b));
  // SelectV2 broadcasts: the vector is a row there.
  auto broadcast = [](auto c, auto x, auto y) { return fg::select(c, x, y); };
  CHECK(values(evaluate(broadcast, vector<bool>({true, false}), a, b)) == std::vector<float>{1, -2, 3, -4});
  auto words = evaluate_once(true, {}, broadcast, vector<bool>({true, false}), fg::tensor<std::string>(std::string("yes")),
                             fg::tensor<std::string>(std::string("no")));
  CHECK(values(words) == std::vector<std::string>{"yes", "no"});
}

TEST_CASE("select refuses a condition that fits no axis") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2, 3});
  const fg::error rows = refusal(g, [&] { fg::apply(fg::select_op{}, g.placeholder<bool>("c", {3}), x, x); });
  CHECK(says(rows, "expected a condition for each of the 2 rows"));
}

#ifndef FLOWGRAPH_INFERENCE
TEST_CASE("an infinity that is not chosen leaves no trace in the gradient") {
  auto slope = [](auto x) {
    const auto y = fg::select(fg::greater(x, 0.f), fg::log(fg::maximum(x, 1e-3f)), x * 0.f);
    return fg::out<float>(fg::gradients(y, x));
  };
  CHECK(values(evaluate(slope, vector<float>({-1, 2}))) == std::vector<float>{0, 0.5f});
}
#endif
