#include <flowgraph/ops/math/trigonometry.hpp>

#include "../evaluate.hpp"

#include <cmath>
#include <limits>

using namespace ops_test;

namespace {}  // namespace

TEST_CASE("angles keep their quadrant, and the sign of zero") {
  const auto y = evaluate([](auto a, auto b) { return fg::atan2(a, b); }, vector<float>({0.f, 0.f, -0.f, 1, -1, infinity}),
                          vector<float>({0.f, -0.f, -0.f, 0, 0, infinity}));
  const float pi = 3.14159265f;
  const std::vector<float> wanted{0, pi, -pi, pi / 2, -pi / 2, pi / 4};
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(y[i] == doctest::Approx(wanted[i]));
}

TEST_CASE("inverse functions of what they cannot have are NaN, and complex where they can be") {
  CHECK(std::isnan(evaluate([](auto a) { return fg::asin(a); }, vector<float>({2}))[0]));
  CHECK(std::isnan(evaluate([](auto a) { return fg::acosh(a); }, vector<double>({0.5}))[0]));
  CHECK(evaluate([](auto a) { return fg::atanh(a); }, vector<float>({1}))[0] == infinity);
  const fg::complex128 y = evaluate([](auto a) { return fg::asin(a); }, vector<fg::complex128>({2}))[0];
  CHECK(y.real() == doctest::Approx(1.5707963267948966));
  CHECK(y.imag() == doctest::Approx(1.3169578969248166));
}

TEST_CASE("halves are computed in float, blocks and their rest alike") {
  const auto x = counting<fg::half>({1000});
  const auto y = evaluate([](auto a) { return fg::sin(a); }, x);
  for (const std::size_t i : {0u, 255u, 256u, 999u}) CHECK(y[i].bits == fg::half(std::sin(static_cast<float>(x[i]))).bits);
}
