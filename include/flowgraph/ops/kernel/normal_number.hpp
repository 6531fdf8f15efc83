#pragma once
// The two parts of the Box-Muller transform for one number: the radius and the angle, with the bits of glibc's logf, sinf and
// cosf. The logarithm uses a table of 16 entries and a polynomial in double. Sine and cosine use two polynomials in double around
// the nearest quarter turn. The remaining error is far below the last bit of a float, with or without fused multiply-add.

#include <flowgraph/ops/kernel/level.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel::FLOWGRAPH_LEVEL {

// Converts 23 bits to a number in [0, 1).
FLOWGRAPH_ALWAYS_INLINE float normal_unit(std::uint32_t x) {
  return __builtin_bit_cast(float, 0x3f800000u | (x & 0x7fffffu)) - 1.f;
}

// 1/c and log(c) for 16 values c between sqrt(1/2) and sqrt(2), chosen so that both are almost exactly
// representable as doubles.
struct normal_logarithms {
  double inverse[16] = {
      0x1.661ec79f8f3bep+0, 0x1.571ed4aaf883dp+0, 0x1.49539f0f010bp+0,  0x1.3c995b0b80385p+0, 0x1.30d190c8864a5p+0,
      0x1.25e227b0b8eap+0,  0x1.1bb4a4a1a343fp+0, 0x1.12358f08ae5bap+0, 0x1.0953f419900a7p+0, 0x1p+0,
      0x1.e608cfd9a47acp-1, 0x1.ca4b31f026aap-1,  0x1.b2036576afce6p-1, 0x1.9c2d163a1aa2dp-1, 0x1.886e6037841edp-1,
      0x1.767dcf5534862p-1};
  double logarithm[16] = {
      -0x1.57bf7808caadep-2, -0x1.2bef0a7c06ddbp-2, -0x1.01eae7f513a67p-2, -0x1.b31d8a68224e9p-3, -0x1.6574f0ac07758p-3,
      -0x1.1aa2bc79c81p-3,   -0x1.a4e76ce8c0e5ep-4, -0x1.1973c5a611cccp-4, -0x1.252f438e10c1ep-5, 0,
      0x1.aa5aa5df25984p-5,  0x1.c5e53aa362eb4p-4,  0x1.526e57720db08p-3,  0x1.bc2860d22477p-3,   0x1.1058bc8a07ee1p-2,
      0x1.4043057b6ee09p-2};
};
inline constexpr normal_logarithms normal_table{};

// Returns sqrt(-2 log(u)). u must be in [0, 1).
FLOWGRAPH_ALWAYS_INLINE float normal_radius(float u, const normal_logarithms& table) {
  const float x = u < 1.0e-7f ? 1.0e-7f : u;
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x), above = bits - 0x3f330000u;  // about sqrt(1/2)
  const std::uint32_t part = (above >> 19) & 15;
  const int exponent = static_cast<int>(above) >> 23;
  const double z = static_cast<double>(__builtin_bit_cast(float, bits - (above & 0xff800000u)));
  const double r = z * table.inverse[part] - 1, r2 = r * r;
  const double base = table.logarithm[part] + static_cast<double>(exponent) * 0x1.62e42fefa39efp-1;
  const double p = -0x1.00ea348b88334p-2 * r2 + (0x1.5575b0be00b6ap-2 * r - 0x1.ffffef20a4123p-2);
  return __builtin_sqrtf(-2.f * static_cast<float>(p * r2 + (base + r)));
}

// Converts the bits of a double to a float, and changes its sign if the sign bit is set.
FLOWGRAPH_ALWAYS_INLINE float normal_signed(std::uint64_t bits, std::uint32_t sign) {
  const float x = static_cast<float>(__builtin_bit_cast(double, bits));
  return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, x) ^ sign);
}

// Computes sine and cosine of 2 pi u.
FLOWGRAPH_ALWAYS_INLINE void normal_angle(float u, float& sine_of, float& cosine_of) {
  const double angle = static_cast<double>(static_cast<float>(2 * 3.14159265358979323846 * static_cast<double>(u)));
  const int quarter = (static_cast<int>(angle * 0x1.45f306dc9c883p+23) + 0x800000) >> 24;
  const double x = angle - static_cast<double>(quarter) * 0x1.921fb54442d18p+0;
  const double x2 = x * x, x3 = x2 * x, x4 = x2 * x2;
  const double s = x + x3 * -0x1.555545995a603p-3 + x3 * x2 * (0x1.1107605230bc4p-7 + x2 * -0x1.994eb3774cf24p-13);
  const double c = 1 + x2 * -0x1.ffffffd0c621cp-2 + x4 * 0x1.55553e1068f19p-5 +
                   x4 * x2 * (-0x1.6c087e89a359dp-10 + x2 * 0x1.99343027bf8c3p-16);
  // An odd quarter exchanges sine and cosine. Signs are set by bit operations, since branches would be mispredicted half of the
  // time.
  const auto q = static_cast<std::uint32_t>(quarter);
  const std::uint64_t sine = __builtin_bit_cast(std::uint64_t, s), cosine = __builtin_bit_cast(std::uint64_t, c);
  const std::uint64_t exchanged = (sine ^ cosine) & (0 - static_cast<std::uint64_t>(q & 1));
  sine_of = normal_signed(sine ^ exchanged, (q & 2) << 30);
  cosine_of = normal_signed(cosine ^ exchanged, ((q + 1) & 2) << 30);
}

}  // namespace flowgraph::kernel::FLOWGRAPH_LEVEL
