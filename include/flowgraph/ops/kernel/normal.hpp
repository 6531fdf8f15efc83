#pragma once
// Normally distributed numbers from Philox blocks by the Box-Muller transform. It makes many numbers at a time, and each has the
// same bits as if glibc's logf, sinf and cosf had computed it.
//
// Each stage is a loop over arrays of fixed size, which the compiler vectorizes. The logarithm uses a table of 16 entries and a
// polynomial in double. Sine and cosine use two polynomials in double around the nearest quarter turn. The remaining error is far
// below the last bit of a float, with or without fused multiply-add.

#include <flowgraph/ops/kernel/level.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace kernel {

namespace FLOWGRAPH_LEVEL {

inline constexpr int normal_batch = 64;  // blocks of four numbers

struct normal_bits {
  std::uint32_t x[4][normal_batch];
};

// Computes ten rounds of Philox 4x32 for the blocks that begin at `low`, `high`.
FLOWGRAPH_ALWAYS_INLINE void normal_blocks(std::uint64_t key, std::uint64_t low, std::uint64_t high, normal_bits& b) {
  for (int i = 0; i < normal_batch; ++i) {
    const std::uint64_t at = low + static_cast<std::uint64_t>(i), above = high + (at < low ? 1 : 0);
    b.x[0][i] = static_cast<std::uint32_t>(at);
    b.x[1][i] = static_cast<std::uint32_t>(at >> 32);
    b.x[2][i] = static_cast<std::uint32_t>(above);
    b.x[3][i] = static_cast<std::uint32_t>(above >> 32);
  }
  std::uint32_t k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < normal_batch; ++i) {
      const std::uint64_t a = std::uint64_t{0xD2511F53u} * b.x[0][i], c = std::uint64_t{0xCD9E8D57u} * b.x[2][i];
      const std::uint32_t x0 = static_cast<std::uint32_t>(c >> 32) ^ b.x[1][i] ^ k0;
      const std::uint32_t x2 = static_cast<std::uint32_t>(a >> 32) ^ b.x[3][i] ^ k1;
      b.x[1][i] = static_cast<std::uint32_t>(c);
      b.x[3][i] = static_cast<std::uint32_t>(a);
      b.x[0][i] = x0;
      b.x[2][i] = x2;
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

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

// Replaces u by sqrt(-2 log(u)). u must be in [0, 1).
FLOWGRAPH_ALWAYS_INLINE void normal_radii(float (&u)[2 * normal_batch]) {
  for (int i = 0; i < 2 * normal_batch; ++i) {
    const float x = u[i] < 1.0e-7f ? 1.0e-7f : u[i];
    const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, x), above = bits - 0x3f330000u;  // about sqrt(1/2)
    const std::uint32_t part = (above >> 19) & 15;
    const int exponent = static_cast<int>(above) >> 23;
    const double z = static_cast<double>(__builtin_bit_cast(float, bits - (above & 0xff800000u)));
    const double r = z * normal_table.inverse[part] - 1, r2 = r * r;
    const double base = normal_table.logarithm[part] + static_cast<double>(exponent) * 0x1.62e42fefa39efp-1;
    const double p = -0x1.00ea348b88334p-2 * r2 + (0x1.5575b0be00b6ap-2 * r - 0x1.ffffef20a4123p-2);
    u[i] = __builtin_sqrtf(-2.f * static_cast<float>(p * r2 + (base + r)));
  }
}

// Converts the bits of a double to a float, and changes its sign if the sign bit is set.
FLOWGRAPH_ALWAYS_INLINE float normal_signed(std::uint64_t bits, std::uint32_t sign) {
  const float x = static_cast<float>(__builtin_bit_cast(double, bits));
  return __builtin_bit_cast(float, __builtin_bit_cast(std::uint32_t, x) ^ sign);
}

// Computes sine and cosine of 2 pi u.
FLOWGRAPH_ALWAYS_INLINE void normal_angles(const float (&u)[2 * normal_batch], float (&sines)[2 * normal_batch],
                                           float (&cosines)[2 * normal_batch]) {
  for (int i = 0; i < 2 * normal_batch; ++i) {
    const double angle = static_cast<double>(static_cast<float>(2 * 3.14159265358979323846 * static_cast<double>(u[i])));
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
    sines[i] = normal_signed(sine ^ exchanged, (q & 2) << 30);
    cosines[i] = normal_signed(cosine ^ exchanged, ((q + 1) & 2) << 30);
  }
}

FLOWGRAPH_ALWAYS_INLINE void normal_numbers(std::uint64_t key, std::uint64_t low, std::uint64_t high, float* y) {
  normal_bits b;
  normal_blocks(key, low, high, b);
  float radii[2 * normal_batch], turns[2 * normal_batch], sines[2 * normal_batch], cosines[2 * normal_batch];
  for (int i = 0; i < normal_batch; ++i) {
    radii[i] = normal_unit(b.x[0][i]);
    turns[i] = normal_unit(b.x[1][i]);
    radii[normal_batch + i] = normal_unit(b.x[2][i]);
    turns[normal_batch + i] = normal_unit(b.x[3][i]);
  }
  normal_radii(radii);
  normal_angles(turns, sines, cosines);
  for (int i = 0; i < normal_batch; ++i) {
    const int j = normal_batch + i;
    y[4 * i] = sines[i] * radii[i];
    y[4 * i + 1] = cosines[i] * radii[i];
    y[4 * i + 2] = sines[j] * radii[j];
    y[4 * i + 3] = cosines[j] * radii[j];
  }
}

}  // namespace FLOWGRAPH_LEVEL

template <>
template <class T>
void kernels<own>::normal(std::uint64_t key, std::uint64_t low, std::uint64_t high, T* y, std::int64_t blocks) {
  constexpr std::int64_t batch = FLOWGRAPH_LEVEL::normal_batch;
  std::int64_t i = 0;
  const auto from = [&](std::int64_t block, float* to) {
    const std::uint64_t at = low + static_cast<std::uint64_t>(block);
    FLOWGRAPH_LEVEL::normal_numbers(key, at, high + (at < low ? 1 : 0), to);
  };
  for (; i + batch <= blocks; i += batch) from(i, y + 4 * i);
  if (i == blocks) return;
  float last[4 * batch];
  from(i, last);
  for (std::int64_t k = 4 * i; k < 4 * blocks; ++k) y[k] = last[k - 4 * i];
}

}
}
}  // namespace flowgraph::kernel
