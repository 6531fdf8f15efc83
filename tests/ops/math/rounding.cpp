#include <flowgraph/ops/math/rounding.hpp>

#include "../evaluate.hpp"

#include <cmath>
#include <limits>

using namespace ops_test;

namespace {}  // namespace

TEST_CASE("of two nearest integers the even one; large numbers, signs of zero and NaN stay") {
  const auto x = vector<float>({0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 8388609.f, 1e30f, -infinity});
  CHECK(values(evaluate([](auto a) { return fg::round(a); }, x)) ==
        std::vector<float>{0, 2, 2, -0.f, -2, 8388609.f, 1e30f, -infinity});
  CHECK(std::signbit(evaluate([](auto a) { return fg::rint(a); }, vector<double>({-0.3}))[0]));
  CHECK(std::signbit(evaluate([](auto a) { return fg::ceil(a); }, vector<double>({-0.3}))[0]));
  CHECK(std::isnan(evaluate([](auto a) { return fg::round(a); }, vector<float>({no_number}))[0]));
  CHECK(values(evaluate([](auto a) { return fg::round(a); }, vector<std::int32_t>({3, -7}))) == std::vector<std::int32_t>{3, -7});
  CHECK(values(evaluate([](auto a) { return fg::ceil(a); }, vector<float>({0.2f, 3, -1.8f, infinity}))) ==
        std::vector<float>{1, 3, -1, infinity});
}

TEST_CASE("finite, infinite, no number: of every floating type") {
  const auto ask = [&]<class T>(fg::tensor<T> x) {
    CHECK(values(evaluate([](auto a) { return fg::is_finite(a); }, x)) == std::vector<bool>{true, false, false, false, true});
    CHECK(values(evaluate([](auto a) { return fg::is_inf(a); }, x)) == std::vector<bool>{false, true, true, false, false});
    CHECK(values(evaluate([](auto a) { return fg::is_nan(a); }, x)) == std::vector<bool>{false, false, false, true, false});
  };
  const auto all = [&]<class T>() { ask(vector<T>({T(-2.f), T(infinity), T(-infinity), T(no_number), T(65504.f)})); };
  all.operator()<float>();
  all.operator()<double>();
  all.operator()<fg::half>();
  all.operator()<fg::bfloat16>();
}

TEST_CASE("bounds: the lower one wins, NaN stays, and complex numbers are clipped part by part") {
  const auto x = vector<float>({1, 2, 3, 4, no_number});
  const auto clip = []<class T>(const fg::tensor<T>& a, T low, T high) {
    const auto op = [](auto v, auto lowest, auto highest) { return fg::apply(fg::clip_by_value_op{}, v, lowest, highest); };
    return evaluate(op, a, fg::tensor<T>(low), fg::tensor<T>(high));
  };
  const auto y = clip(x, 3.f, 2.f);
  for (std::size_t i = 0; i < 4; ++i) CHECK(y[i] == 3);
  CHECK(std::isnan(y[4]));
  CHECK(clip(x, no_number, 2.f)[0] == 1);
  CHECK(clip(x, no_number, 2.f)[3] == 2);
  using c = fg::complex64;
  CHECK(values(clip(vector<c>({c(1, 2), c(2.5f, 0.5f), c(5, -2)}), c(2), c(3, 1))) == std::vector<c>{c(2, 1), c(2.5f, 0.5f), 3});
}

TEST_CASE("a bound that broadcasting would fit is refused") {
  fg::graph g;
  auto x = g.placeholder<float>("x", fg::shape::unknown()), low = g.placeholder<float>("low", fg::shape::unknown());
  auto y = fg::apply(fg::clip_by_value_op{}, x, low, g.constant(5.f));
  fg::session s{g};
  auto made = s.try_run(fg::fetch(y), {{x, counting<float>({2, 3})}, {low, counting<float>({3})}});
  REQUIRE(!made);
  CHECK(made.error().code() == fg::error_code::invalid_argument);
}

TEST_CASE("equal to within less than the tolerance") {
  const auto near = [](auto a, auto b) { return fg::approximate_equal(a, b, 0.5f); };
  CHECK(values(evaluate(near, vector<float>({1, 1, no_number, infinity}), vector<float>({1.25f, 1.5f, no_number, infinity}))) ==
        std::vector<bool>{true, false, false, false});
}
