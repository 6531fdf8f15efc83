#include <flowgraph/ops/reduction/reduction.hpp>

#include "../evaluate.hpp"

#include <flowgraph/core/thread_pool.hpp>

#include <cmath>
#include <limits>

using namespace ops_test;

namespace {

// The sum over `axes` in double, one element at a time.
fg::tensor<double> plain_sum(const fg::tensor<double>& x, const std::vector<int>& axes) {
  fg::shape kept = x.shape();
  for (const int axis : axes) kept[axis] = 1;
  fg::tensor<double> y(kept);
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::int64_t rest = static_cast<std::int64_t>(i), at = 0, step = 1;
    for (int axis = kept.rank - 1; axis >= 0; --axis) {
      if (kept[axis] != 1) at += rest % kept[axis] * step;
      rest /= x.shape()[axis];
      step *= kept[axis];
    }
    y.writable()[static_cast<std::size_t>(at)] += x[i];
  }
  return y;
}

fg::tensor<double> waves(const fg::shape& shape) {
  fg::tensor<double> x(shape);
  double i = 0;
  for (double& e : x.writable()) e = std::sin(++i) + 0.25;
  return x;
}

}  // namespace

TEST_CASE("sums over any axes of any shape are what adding up gives") {
  const std::pair<fg::shape, std::vector<int>> all[] = {{{7}, {}},
                                                        {{7}, {0}},
                                                        {{3, 5}, {1}},
                                                        {{3, 5}, {0}},
                                                        {{3, 5}, {0, 1}},
                                                        {{2, 3, 4}, {1}},
                                                        {{2, 3, 4}, {0, 2}},
                                                        {{2, 3, 4, 5}, {1, 3}},
                                                        {{2, 3, 4, 5}, {0, 2}},
                                                        {{2, 1, 3, 1, 4}, {1, 2}},
                                                        {{1, 1}, {0}},
                                                        {{700, 3}, {0}},
                                                        {{3, 700}, {0}},
                                                        {{2, 300, 2, 300}, {0, 2}},
                                                        {{300000}, {0}},
                                                        {{3, 100000}, {1}},
                                                        {{100000, 3}, {0}},
                                                        {{300, 600}, {0}},
                                                        {{2, 70000, 2}, {1}},
                                                        {{2, 3, 70000}, {0, 2}},
                                                        {{600, 2, 2}, {0, 2}}};
  for (const auto& [shape, axes] : all) {
    CAPTURE(to_string(shape));
    CAPTURE(axes.size());
    const fg::tensor<double> x = waves(shape), expected = plain_sum(x, axes);
    const auto y = evaluate([&](auto v) { return fg::sum(v, axes, true); }, x);
    REQUIRE(y.shape() == expected.shape());
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(y[i] == doctest::Approx(expected[i]).epsilon(1e-12));
  }
}

TEST_CASE("the bits of a sum do not depend on the number of threads") {
  fg::thread_pool pool(3);
  const std::pair<fg::shape, std::vector<int>> all[] = {
      {{300001}, {0}}, {{100001, 3}, {0}}, {{3, 100001}, {1}}, {{50, 40, 60}, {1}}, {{4, 70001, 2}, {1}}};
  for (const auto& [shape, axes] : all) {
    fg::tensor<float> x(shape);
    float i = 0;
    for (float& e : x.writable()) e = std::sin(++i);
    auto f = [&](auto v) { return fg::sum(v, axes); };
    CHECK(same_bits(evaluate_once(true, {}, f, x), evaluate_once(true, {.pool = &pool}, f, x)));
  }
}

TEST_CASE("a long sum of floats stays exact to their last digits") {
  const fg::tensor<float> x({1 << 20, 2}, std::vector<float>(1 << 21, 0.1f));
  for (const float total : evaluate([](auto v) { return fg::sum(v, 0); }, x))
    CHECK(total == doctest::Approx(0.1f * float(1 << 20)).epsilon(2e-6));
  CHECK(evaluate([](auto v) { return fg::mean(v); }, x).scalar() == doctest::Approx(0.1f).epsilon(2e-6));
}

TEST_CASE("axes may be numbers, lists, vectors and handles, and count from the end") {
  const auto x = counting<float>({2, 3});
  CHECK(evaluate([](auto v) { return fg::sum(v); }, x).scalar() == 21.f);
  CHECK(values(evaluate([](auto v) { return fg::sum(v, -1); }, x)) == std::vector<float>{6, 15});
  CHECK(evaluate([](auto v) { return fg::max(v, {0, 1}, true); }, x).shape() == fg::shape{1, 1});
  CHECK(values(evaluate([](auto v) { return fg::mean(v, std::vector<int>{0}); }, x)) == std::vector<float>{2.5f, 3.5f, 4.5f});
  CHECK(values(evaluate([](auto v, auto axes) { return fg::prod(v, axes); }, x, vector<std::int64_t>({1}))) ==
        std::vector<float>{6, 120});
  CHECK(evaluate([](auto v) { return fg::min(v, {.name = "least"}); }, x).scalar() == 1.f);
}

TEST_CASE("reducing nothing gives the function's start") {
  const fg::tensor<float> x({0, 2});
  CHECK(values(evaluate([](auto v) { return fg::sum(v, 0); }, x)) == std::vector<float>{0, 0});
  CHECK(values(evaluate([](auto v) { return fg::prod(v, 0); }, x)) == std::vector<float>{1, 1});
  CHECK(values(evaluate([](auto v) { return fg::max(v, 0); }, x)) == std::vector<float>{-infinity, -infinity});
  CHECK(values(evaluate([](auto v) { return fg::min(v, 0); }, x)) == std::vector<float>{infinity, infinity});
  CHECK(std::isnan(evaluate([](auto v) { return fg::mean(v); }, x).scalar()));
  CHECK(evaluate([](auto v) { return fg::sum(v, 1); }, x).shape() == fg::shape{0});
  CHECK(evaluate([](auto v) { return fg::max(v); }, fg::tensor<std::int8_t>(fg::shape{0})).scalar() == -128);
}

TEST_CASE("NaN is the extreme of what holds it, but stands nowhere") {
  const auto x = vector<float>({1, no_number, 3});
  CHECK(std::isnan(evaluate([](auto v) { return fg::max(v); }, x).scalar()));
  CHECK(std::isnan(evaluate([](auto v) { return fg::min(v); }, x).scalar()));
  CHECK(evaluate([](auto v) { return fg::argmax(v); }, x).scalar() == 2);
  CHECK(evaluate([](auto v) { return fg::argmin(v); }, x).scalar() == 0);
}

TEST_CASE("sums of integers wrap, their means are taken in 64 bits, halves are added in float") {
  CHECK(evaluate([](auto v) { return fg::sum(v); }, vector<std::int8_t>({100, 100})).scalar() == -56);
  CHECK(evaluate([](auto v) { return fg::mean(v); }, vector<std::int8_t>({100, 100, 103})).scalar() == 101);
  CHECK(evaluate([](auto v) { return fg::mean(v); }, vector<std::uint8_t>({255, 255})).scalar() == 255);
  const fg::tensor<fg::half> ones({4000}, std::vector<fg::half>(4000, fg::half(1.f)));
  CHECK(static_cast<float>(evaluate([](auto v) { return fg::sum(v); }, ones).scalar()) == 4000.f);
}

TEST_CASE("the first of equal extremes is found, along any axis") {
  const fg::tensor<float> x({2, 2, 3}, {1, 9, 9, 4, 5, 6, 7, 0, 7, 7, 1, 8});
  CHECK(values(evaluate([](auto v) { return fg::argmax(v, -1); }, x)) == std::vector<std::int64_t>{1, 2, 0, 2});
  CHECK(values(evaluate([](auto v) { return fg::argmax(v, 0); }, x)) == std::vector<std::int64_t>{1, 0, 0, 1, 0, 1});
  CHECK(values(evaluate([](auto v) { return fg::argmin<std::int32_t>(v, 1); }, x)) ==
        std::vector<std::int32_t>{0, 1, 1, 0, 0, 0});
  CHECK(evaluate([](auto v) { return fg::argmin(v); }, vector<fg::half>({-3.f, -60000.f})).scalar() == 1);
}

TEST_CASE("axes that do not exist, twice the same one, and empty ones to search are refused") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2, 0});
  CHECK(says(refusal(g, [&] { fg::sum(x, 2); }), "a reduction axis must be in [-2, 2), found 2"));
  fg::graph h;
  auto y = h.placeholder<float>("y", {2, 0});
  CHECK(says(refusal(h, [&] { fg::sum(y, {1, -1}); }), "expected each axis once"));
  fg::graph i;
  auto z = i.placeholder<float>("z", {2, 0});
  CHECK(says(refusal(i, [&] { fg::argmax(z, 1); }), "axis 1 to be searched is empty"));

  fg::graph late;
  auto v = late.placeholder<float>("v", fg::shape::unknown());
  auto axis = late.placeholder<std::int32_t>("axis", {});
  auto sum = fg::sum(v, axis);
  fg::session s{late};
  const auto run = s.try_run(fg::fetch(sum), {{v, vector<float>({1})}, {axis, 1}});
  REQUIRE_FALSE(run);
  CHECK(run.error().code() == fg::error_code::invalid_argument);
}

TEST_CASE("all and any") {
  const fg::tensor<bool> x({2, 2}, {true, false, true, true});
  CHECK(values(evaluate([](auto v) { return fg::all_of(v, 1); }, x)) == std::vector<bool>{false, true});
  CHECK(values(evaluate([](auto v) { return fg::any_of(v, 0); }, x)) == std::vector<bool>{true, true});
  CHECK_FALSE(evaluate([](auto v) { return fg::all_of(v); }, x).scalar());
}

#ifndef FLOWGRAPH_INFERENCE
TEST_CASE("equal extremes share the gradient") {
  auto slope = [](auto x) { return fg::out<float>(fg::gradients(fg::max(x, 1) * 6.f, x)); };
  CHECK(values(evaluate(slope, fg::tensor<float>({2, 3}, {5, 1, 5, 2, 2, 2}))) == std::vector<float>{3, 0, 3, 2, 2, 2});
}

TEST_CASE("the gradient of a product is right where factors are zero") {
  auto slope = [](auto x) { return fg::out<float>(fg::gradients(fg::prod(x, 1), x)); };
  const fg::tensor<float> x({3, 3}, {2, 3, 4, 2, 0, 4, 0, 0, 4});
  CHECK(values(evaluate(slope, x)) == std::vector<float>{12, 8, 6, 0, 8, 0, 0, 0, 0});
  auto of_two = [](auto v) { return fg::out<float>(fg::gradients(fg::prod(v, {0, 2}), v)); };
  const fg::tensor<float> block({2, 2, 2}, {1, 2, 3, 4, 5, 0, 6, 7});
  CHECK(values(evaluate(of_two, block)) == std::vector<float>{0, 0, 168, 126, 0, 10, 84, 72});
}

TEST_CASE("the gradient of a product is right where the product has too large or too small a magnitude for its type") {
  auto slope = [](auto x) { return fg::out<float>(fg::gradients(fg::prod(x), x)); };
  CHECK(values(evaluate(slope, vector<float>({1e-30f, 1e-20f, 2}))) == std::vector<float>{1e-20f * 2, 1e-30f * 2, 0});
  CHECK(values(evaluate(slope, vector<float>({1e30f, 1e20f, .5f}))) ==
        std::vector<float>{1e20f / 2, 1e30f / 2, std::numeric_limits<float>::infinity()});
}

TEST_CASE("gradients of sums and means have their input's shape, also over axes known at run time only") {
  auto slope = [](auto x, auto axes) { return fg::out<float>(fg::gradients(fg::square(fg::mean(x, axes)), x)); };
  const fg::tensor<float> x({2, 2}, {1, 3, 5, 7});
  CHECK(values(evaluate(slope, x, vector<std::int32_t>({1}))) == std::vector<float>{2, 2, 6, 6});
  CHECK(values(evaluate(slope, x, vector<std::int32_t>({0, 1}))) == std::vector<float>{2, 2, 2, 2});
  auto fixed = [](auto v) { return fg::out<float>(fg::gradients(fg::square(fg::sum(v, 0)), v)); };
  CHECK(values(evaluate(fixed, x)) == std::vector<float>{12, 20, 12, 20});
}
#endif
