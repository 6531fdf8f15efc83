#include <flowgraph/core/half.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace fg = flowgraph;

namespace {

constexpr std::uint16_t sign_bit = 0x8000;

bool is_nan(float x) { return x != x; }

// What a pattern stands for, infinity counted as the next number of the format would be.
template <class T> double value_of(std::uint16_t bits, std::uint16_t infinity, double beyond) {
  return bits == infinity ? beyond : static_cast<double>(static_cast<float>(T::from_bits(bits)));
}

// Every number of the format, and the three floats around the middle between it and the next one, of both signs.
template <class T> void check_rounding(std::uint16_t infinity, double beyond) {
  int wrong = 0;
  for (std::uint16_t low = 0; low < infinity; ++low) {
    const auto high = static_cast<std::uint16_t>(low + 1);
    const double middle = (value_of<T>(low, infinity, beyond) + value_of<T>(high, infinity, beyond)) / 2;
    const float exact = static_cast<float>(middle);
    REQUIRE(static_cast<double>(exact) == middle);
    const std::uint16_t even = (low & 1u) == 0 ? low : high;
    const float below = std::nextafter(exact, 0.f);
    const float above = std::nextafter(exact, std::numeric_limits<float>::infinity());
    for (const std::uint16_t sign : {std::uint16_t{0}, sign_bit}) {
      const float s = sign ? -1.f : 1.f;
      wrong += T(s * exact).bits != (even | sign);
      wrong += T(s * below).bits != (low | sign);
      wrong += T(s * above).bits != (high | sign);
    }
  }
  CHECK(wrong == 0);
}

template <class T> void check_round_trip() {
  int wrong = 0;
  for (std::uint32_t i = 0; i <= 0xffff; ++i) {
    const T h = T::from_bits(static_cast<std::uint16_t>(i));
    const float f = h;
    wrong += is_nan(f) ? !is_nan(static_cast<float>(T(f))) : T(f).bits != h.bits;
  }
  CHECK(wrong == 0);
}

}  // namespace

static_assert(fg::half(1.5f).bits == 0x3e00 && static_cast<float>(fg::half::from_bits(0xc000)) == -2.f);
static_assert(fg::bfloat16(1.5f).bits == 0x3fc0 && static_cast<float>(fg::bfloat16::from_bits(0xc000)) == -2.f);

TEST_CASE("every half is kept by way of float") { check_round_trip<fg::half>(); }
TEST_CASE("every bfloat16 is kept by way of float") { check_round_trip<fg::bfloat16>(); }

TEST_CASE("floats round to the nearest half, ties to even, overflow to infinity") { check_rounding<fg::half>(0x7c00, 65536.0); }
TEST_CASE("floats round to the nearest bfloat16, ties to even, overflow to infinity") {
  check_rounding<fg::bfloat16>(0x7f80, std::ldexp(1.0, 128));
}

TEST_CASE("the 16-bit types keep zeros' signs, infinities and NaN") {
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(fg::half(-0.f).bits == 0x8000);
  CHECK(fg::bfloat16(-0.f).bits == 0x8000);
  CHECK(fg::half(-infinity).bits == 0xfc00);
  CHECK(fg::bfloat16(infinity).bits == 0x7f80);
  CHECK(fg::half(std::numeric_limits<float>::max()).bits == 0x7c00);
  CHECK(fg::half(std::numeric_limits<float>::denorm_min()).bits == 0);
  // A NaN whose payload lies in the bits that are cut off must not become infinity.
  const float faint = std::bit_cast<float>(0x7f800001u);
  CHECK(is_nan(static_cast<float>(fg::half(faint))));
  CHECK(is_nan(static_cast<float>(fg::bfloat16(faint))));
}

TEST_CASE("the smallest halves are the powers of two that IEEE 754 gives them") {
  CHECK(static_cast<float>(fg::half::from_bits(1)) == std::ldexp(1.f, -24));
  CHECK(static_cast<float>(fg::half::from_bits(0x3ff)) == std::ldexp(1023.f, -24));
  CHECK(static_cast<float>(fg::half::from_bits(0x400)) == std::ldexp(1.f, -14));
  CHECK(static_cast<float>(fg::half::from_bits(0x7bff)) == 65504.f);
}

TEST_CASE("arithmetic on the 16-bit types happens in float") {
  const fg::half a = 2048.f, b = 1.f;
  CHECK(a + b == 2049.f);  // no half
}
