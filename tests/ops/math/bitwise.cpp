#include <flowgraph/ops/math/bitwise.hpp>

#include "../evaluate.hpp"

using namespace ops_test;

TEST_CASE("bits of operands that broadcast") {
  const fg::tensor<std::uint16_t> a({2, 1}, {0x0ff0, 0xffff}), b({2}, {0x00ff, 0x8001});
  CHECK(values(evaluate([](auto x, auto y) { return fg::bitwise_and(x, y); }, a, b)) ==
        std::vector<std::uint16_t>{0x00f0, 0x0000, 0x00ff, 0x8001});
  CHECK(values(evaluate([](auto x, auto y) { return fg::bitwise_or(x, y); }, a, b)) ==
        std::vector<std::uint16_t>{0x0fff, 0x8ff1, 0xffff, 0xffff});
  CHECK(values(evaluate([](auto x, auto y) { return fg::bitwise_xor(x, y); }, a, b)) ==
        std::vector<std::uint16_t>{0x0f0f, 0x8ff1, 0xff00, 0x7ffe});
  CHECK(values(evaluate([](auto x) { return fg::invert(x); }, vector<std::int32_t>({0, -1, 5}))) ==
        std::vector<std::int32_t>{-1, 0, -6});
  CHECK(values(evaluate([](auto x) { return fg::population_count(x); }, vector<std::int64_t>({-1, 0, 5}))) ==
        std::vector<std::uint8_t>{64, 0, 2});
}

TEST_CASE("shifts are held between none and all bits but one; a sign stays") {
  const auto left = [](auto x, auto by) { return fg::left_shift(x, by); };
  const auto right = [](auto x, auto by) { return fg::right_shift(x, by); };
  CHECK(values(evaluate(left, vector<std::int32_t>({1, 1, -1, 5}), vector<std::int32_t>({-1, 40, 7, 1}))) ==
        std::vector<std::int32_t>{1, std::numeric_limits<std::int32_t>::min(), -128, 10});
  CHECK(values(evaluate(right, vector<std::int32_t>({1, -1, -100, -5}), vector<std::int32_t>({-1, 31, -2, 1}))) ==
        std::vector<std::int32_t>{1, -1, -100, -3});
  CHECK(values(evaluate(left, vector<std::uint8_t>({1, 3}), vector<std::uint8_t>({200, 7}))) ==
        std::vector<std::uint8_t>{128, 128});
  CHECK(values(evaluate(right, vector<std::uint8_t>({200, 200}), vector<std::uint8_t>({200, 3}))) ==
        std::vector<std::uint8_t>{1, 25});
  CHECK(values(evaluate(right, vector<std::uint64_t>({1ull << 63}), vector<std::uint64_t>({63}))) ==
        std::vector<std::uint64_t>{1});
}
