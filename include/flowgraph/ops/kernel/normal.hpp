#pragma once
// Normally distributed numbers from Philox blocks by the Box-Muller transform. It makes many numbers at a time, and each has the
// same bits as if glibc's logf, sinf and cosf had computed it.
//
// Each stage is a loop over arrays of fixed size, which the compiler vectorizes.

#include <flowgraph/ops/kernel/normal_number.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

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

FLOWGRAPH_ALWAYS_INLINE void normal_radii(float (&u)[2 * normal_batch]) {
  for (int i = 0; i < 2 * normal_batch; ++i) u[i] = normal_radius(u[i], normal_table);
}
FLOWGRAPH_ALWAYS_INLINE void normal_angles(const float (&u)[2 * normal_batch], float (&sines)[2 * normal_batch],
                                           float (&cosines)[2 * normal_batch]) {
  for (int i = 0; i < 2 * normal_batch; ++i) normal_angle(u[i], sines[i], cosines[i]);
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

}  // namespace flowgraph::kernel
