#include <flowgraph/ops/array/where.hpp>

#include "../evaluate.hpp"

#include <cmath>

using namespace ops_test;

TEST_CASE("where elements are not zero, whatever their sign") {
  const fg::tensor<float> x({2, 3}, {0.f, 1.f, -0.f, std::nanf(""), 0.f, -2.f});
  const auto y = evaluate([](auto a) { return fg::where(a); }, x);
  REQUIRE(y.shape() == fg::shape{3, 2});
  CHECK(values(y) == std::vector<std::int64_t>{0, 1, 1, 0, 1, 2});
  const auto half_zero = evaluate([](auto a) { return fg::where(a); }, vector<fg::half>({fg::half(-0.f), fg::half(2.f)}));
  CHECK(values(half_zero) == std::vector<std::int64_t>{1});
  const auto complex = evaluate([](auto a) { return fg::where(a); }, vector<fg::complex128>({{0, -0.}, {0, 1}, {-1, 0}}));
  CHECK(values(complex) == std::vector<std::int64_t>{1, 2});
  const auto narrow = evaluate([](auto a) { return fg::where(a); }, vector<std::int8_t>({0, -128, 1}));
  CHECK(values(narrow) == std::vector<std::int64_t>{1, 2});
}
