#include <flowgraph/ops/math/power.hpp>

#include "../evaluate.hpp"

#include <cmath>
#include <limits>

using namespace ops_test;

namespace {}  // namespace

TEST_CASE("powers of integers wrap around; negative exponents are refused") {
  const auto y = evaluate([](auto a, auto b) { return fg::pow(a, b); }, vector<std::int32_t>({2, -2, 0, 3, 7}),
                          vector<std::int32_t>({40, 7, 0, 4, 1}));
  CHECK(values(y) == std::vector<std::int32_t>{0, -128, 1, 81, 7});
  CHECK(evaluate([](auto a) { return fg::pow(a, std::int8_t{3}); }, vector<std::int8_t>({-5}))[0] == -125);
  fg::graph g;
  auto x = g.placeholder<std::int16_t>("x", {2});
  auto power = fg::pow(x, x);
  fg::session s{g};
  auto made = s.try_run(fg::fetch(power), {{x, vector<std::int16_t>({1, -1})}});
  REQUIRE(!made);
  CHECK(made.error().code() == fg::error_code::invalid_argument);
}

TEST_CASE("a zero decides, whatever the other operand is") {
  const auto x = vector<float>({0, 0, no_number, 2}), y = vector<float>({no_number, infinity, 0, 0});
  CHECK(values(evaluate([](auto a, auto b) { return fg::mul_no_nan(b, a); }, x, y))[0] == 0);
  CHECK(values(evaluate([](auto a, auto b) { return fg::div_no_nan(a, b); }, x, y))[2] == 0);
  CHECK(values(evaluate([](auto a, auto b) { return fg::div_no_nan(a, b); }, x, y))[3] == 0);
  CHECK(values(evaluate([](auto a, auto b) { return fg::xlogy(a, b); }, x, y))[0] == 0);
  CHECK(values(evaluate([](auto a, auto b) { return fg::xlogy(a, b); }, x, y))[3] == -infinity);
  CHECK(values(evaluate([](auto a, auto b) { return fg::xdivy(a, b); }, x, y))[1] == 0);
  CHECK(values(evaluate([](auto a, auto b) { return fg::xdivy(a, b); }, x, y))[3] == infinity);
  using c = fg::complex64;
  CHECK(evaluate([](auto a, auto b) { return fg::div_no_nan(a, b); }, vector<c>({c(1, 1)}), vector<c>({0}))[0] == c(0));
}

TEST_CASE("the gradient of an exponent is finite where the base has no logarithm") {
  fg::graph g;
  auto x = g.placeholder<float>("x", {2}), y = g.placeholder<float>("y", {2});
  const auto [dx, dy] = fg::gradients(fg::pow(x, y), x, y);
  const fg::out<float> of_base = dx, of_exponent = dy;
  fg::session s{g};
  const auto [a, b] = s.run(fg::fetch(of_base, of_exponent), {{x, vector<float>({-2, 2})}, {y, vector<float>({2, 3})}});
  CHECK(values(a) == std::vector<float>{-4, 12});
  CHECK(b[0] == 0);
  CHECK(b[1] == doctest::Approx(8 * std::log(2.f)));
}
