#pragma once
// Copies of stored numbers, converted from and to float. Loops of fixed length without branches become vector instructions. The
// results are those of the conversions of core/half.hpp.

#include <flowgraph/core/half.hpp>

#include <atomic>
#include <cstddef>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// a if the condition is true, b otherwise, without a branch.
inline std::uint32_t chosen(bool condition, std::uint32_t a, std::uint32_t b) {
  const std::uint32_t mask = 0u - static_cast<std::uint32_t>(condition);
  return (a & mask) | (b & ~mask);
}

inline float float_of(float x) { return x; }
inline float float_of(bfloat16 x) { return float(x); }
inline float float_of(half x) {
  const std::uint32_t magnitude = x.bits & 0x7fffu, sign = (x.bits & 0x8000u) << 16;
  const std::uint32_t special = chosen(magnitude >= 0x7c00u, 0x38000000u, 0);  // infinities and NaN
  const std::uint32_t normal = (magnitude << 13) + 0x38000000u + special;
  const auto subnormal = std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
  return std::bit_cast<float>(sign | chosen(magnitude < 0x400u, subnormal, normal));
}

template <class T> T stored_of(float x);
template <> inline float stored_of(float x) { return x; }
template <> inline bfloat16 stored_of(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16, nan = (bits >> 16) | 0x40u;
  return bfloat16::from_bits(static_cast<std::uint16_t>(chosen((bits & 0x7fffffffu) > 0x7f800000u, nan, rounded)));
}
template <> inline half stored_of(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x), sign = (bits >> 16) & 0x8000u, magnitude = bits & 0x7fffffffu;
  const std::uint32_t normal = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  // An addition rounds numbers below the smallest normal half to units of 2^-24.
  const bool is_subnormal = magnitude < 0x38800000u;
  const float aligned = std::bit_cast<float>(chosen(is_subnormal, magnitude, 0)) + 0.5f;
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(aligned) - 0x3f000000u;
  const std::uint32_t special = chosen(magnitude > 0x7f800000u, 0x7e00u, 0x7c00u);
  const std::uint32_t finite = chosen(is_subnormal, subnormal, normal);
  return half::from_bits(static_cast<std::uint16_t>(sign | chosen(magnitude >= 0x47800000u, special, finite)));
}

template <class T> void load_numbers(const T* from, float* to, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (std::size_t c = 0; c < 8; ++c) to[i + c] = float_of(from[i + c]);
  for (; i < n; ++i) to[i] = float_of(from[i]);
}
template <class T> void store_numbers(const float* from, T* to, std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (std::size_t c = 0; c < 8; ++c) to[i + c] = stored_of<T>(from[i + c]);
  for (; i < n; ++i) to[i] = stored_of<T>(from[i]);
}

// True if threads may read and write the same floats by vector instructions. Processors transfer each float of a vector as a
// whole. ThreadSanitizer permits only atomic operations, and compilers have none for vectors.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool shares_vectors = false;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool shares_vectors = false;
#else
inline constexpr bool shares_vectors = true;
#endif
#else
inline constexpr bool shares_vectors = true;
#endif

// A number that another thread may write at the same time.
template <class T> T shared_number(const T* from) {
#if defined(__GNUC__) || defined(__clang__)
  T result;
  __atomic_load(const_cast<T*>(from), &result, __ATOMIC_RELAXED);
  return result;
#else
  return std::atomic_ref<T>(*const_cast<T*>(from)).load(std::memory_order_relaxed);
#endif
}
template <class T> void set_shared_number(T* to, T value) {
#if defined(__GNUC__) || defined(__clang__)
  __atomic_store(to, &value, __ATOMIC_RELAXED);
#else
  std::atomic_ref<T>(*to).store(value, std::memory_order_relaxed);
#endif
}
template <class T> void load_shared_numbers(const T* from, float* to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] = float_of(shared_number(from + i));
}

}  // namespace flowgraph::detail
