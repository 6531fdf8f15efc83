#include <flowgraph/ops/math/division.hpp>

#include "../evaluate.hpp"

#include <cmath>
#include <limits>

using namespace ops_test;

namespace {

template <class T> std::vector<T> floor_div_of(const fg::tensor<T>& a, const fg::tensor<T>& b) {
  return values(evaluate([](auto x, auto y) { return fg::floor_div(x, y); }, a, b));
}
template <class T> std::vector<T> floor_mod_of(const fg::tensor<T>& a, const fg::tensor<T>& b) {
  return values(evaluate([](auto x, auto y) { return fg::floor_mod(x, y); }, a, b));
}

}  // namespace

TEST_CASE("integers round down, or toward zero; the lowest number divided by -1 wraps around") {
  constexpr std::int32_t lowest = std::numeric_limits<std::int32_t>::min();
  const auto a = vector<std::int32_t>({7, -7, 7, -7, lowest, lowest}), b = vector<std::int32_t>({2, 2, -2, -2, -1, 3});
  CHECK(floor_div_of(a, b) == std::vector<std::int32_t>{3, -4, -4, 3, lowest, -715827883});
  CHECK(floor_mod_of(a, b) == std::vector<std::int32_t>{1, 1, -1, -1, 0, 1});
  CHECK(values(evaluate([](auto x, auto y) { return fg::truncate_mod(x, y); }, a, b)) ==
        std::vector<std::int32_t>{1, -1, 1, -1, 0, -2});
  CHECK(floor_div_of(vector<std::uint8_t>({200}), vector<std::uint8_t>({7})) == std::vector<std::uint8_t>{28});
  CHECK(floor_mod_of(vector<std::int8_t>({-128, 127}), vector<std::int8_t>({127, -128})) == std::vector<std::int8_t>{126, -1});
}

TEST_CASE("an integer divisor of zero is refused, unless nothing is divided") {
  fg::graph g;
  auto x = g.placeholder<std::int64_t>("x", {fg::any});
  auto y = fg::floor_mod(x, 0);
  fg::session s{g};
  auto made = s.try_run(fg::fetch(y), {{x, vector<std::int64_t>({1})}});
  REQUIRE(!made);
  CHECK(made.error().code() == fg::error_code::invalid_argument);
  CHECK(s.run(fg::fetch(y), {{x, fg::tensor<std::int64_t>({0})}}).size() == 0);
}

TEST_CASE("numbers with a fraction follow the divisor's sign, and infinities") {
  const auto a = vector<float>({5.5f, -5.5f, 1, -1, infinity, 0}), b = vector<float>({2, 2, -infinity, infinity, 2, 0});
  const std::vector<float> mod = floor_mod_of(a, b), div = floor_div_of(a, b);
  CHECK(mod[0] == 1.5f);
  CHECK(mod[1] == 0.5f);
  CHECK(mod[2] == -infinity);
  CHECK(mod[3] == infinity);
  CHECK(std::isnan(mod[4]));
  CHECK(std::isnan(mod[5]));
  CHECK(div[1] == -3);
  CHECK(div[2] == 0);
  CHECK(div[4] == infinity);
}

TEST_CASE("the quotient of halves is a half before it is rounded down") {
  const float x = 1999, y = 1000;  // 1.999 becomes 2 in a bfloat16
  const auto quotient = floor_div_of(vector<fg::bfloat16>({fg::bfloat16(x)}), vector<fg::bfloat16>({fg::bfloat16(y)}));
  CHECK(static_cast<float>(quotient[0]) == 2);
}
