#pragma once
// Registers of 16 bytes, with the compiler's vector extensions: SSE2 on x86-64, and the target's own instructions elsewhere.

#include <flowgraph/ops/kernel/level.hpp>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel::baseline {

template <class T> struct vectors;

template <> struct vectors<float> {
  typedef float type [[gnu::vector_size(16)]];
  typedef std::uint32_t bits [[gnu::vector_size(16)]];
  using mask = decltype(type{} < type{});
  static constexpr int width = 4;

  FLOWGRAPH_ALWAYS_INLINE static type broadcast(float x) { return type{x, x, x, x}; }
#if defined(__SSE2__)
  FLOWGRAPH_ALWAYS_INLINE static type sqrt(type x) { return type(_mm_sqrt_ps(__m128(x))); }
  FLOWGRAPH_ALWAYS_INLINE static type min(type a, type b) { return type(_mm_min_ps(__m128(a), __m128(b))); }
  FLOWGRAPH_ALWAYS_INLINE static type max(type a, type b) { return type(_mm_max_ps(__m128(a), __m128(b))); }
#else
  FLOWGRAPH_ALWAYS_INLINE static type sqrt(type x) {
    return type{__builtin_sqrtf(x[0]), __builtin_sqrtf(x[1]), __builtin_sqrtf(x[2]), __builtin_sqrtf(x[3])};
  }
  FLOWGRAPH_ALWAYS_INLINE static type min(type a, type b) { return a < b ? a : b; }
  FLOWGRAPH_ALWAYS_INLINE static type max(type a, type b) { return a > b ? a : b; }
#endif
  FLOWGRAPH_ALWAYS_INLINE static type interleave_low(type a, type b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
  FLOWGRAPH_ALWAYS_INLINE static type interleave_high(type a, type b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }
  template <int By> FLOWGRAPH_ALWAYS_INLINE static type rotate(type x) {
    return __builtin_shufflevector(x, x, By % 4, (By + 1) % 4, (By + 2) % 4, (By + 3) % 4);
  }
};

template <> struct vectors<double> {
  typedef double type [[gnu::vector_size(16)]];
  typedef std::uint64_t bits [[gnu::vector_size(16)]];
  using mask = decltype(type{} < type{});
  static constexpr int width = 2;

  FLOWGRAPH_ALWAYS_INLINE static type broadcast(double x) { return type{x, x}; }
#if defined(__SSE2__)
  FLOWGRAPH_ALWAYS_INLINE static type sqrt(type x) { return type(_mm_sqrt_pd(__m128d(x))); }
  FLOWGRAPH_ALWAYS_INLINE static type min(type a, type b) { return type(_mm_min_pd(__m128d(a), __m128d(b))); }
  FLOWGRAPH_ALWAYS_INLINE static type max(type a, type b) { return type(_mm_max_pd(__m128d(a), __m128d(b))); }
#else
  FLOWGRAPH_ALWAYS_INLINE static type sqrt(type x) { return type{__builtin_sqrt(x[0]), __builtin_sqrt(x[1])}; }
  FLOWGRAPH_ALWAYS_INLINE static type min(type a, type b) { return a < b ? a : b; }
  FLOWGRAPH_ALWAYS_INLINE static type max(type a, type b) { return a > b ? a : b; }
#endif
  FLOWGRAPH_ALWAYS_INLINE static type interleave_low(type a, type b) { return __builtin_shufflevector(a, b, 0, 2); }
  FLOWGRAPH_ALWAYS_INLINE static type interleave_high(type a, type b) { return __builtin_shufflevector(a, b, 1, 3); }
  template <int By> FLOWGRAPH_ALWAYS_INLINE static type rotate(type x) {
    return __builtin_shufflevector(x, x, By % 2, (By + 1) % 2);
  }
};

// The functions that need no special instruction, with one definition for both element types.
template <class T> struct lanes : vectors<T> {
  using typename vectors<T>::type;
  using typename vectors<T>::bits;
  using typename vectors<T>::mask;
  using vectors<T>::broadcast;
  using vectors<T>::width;

  FLOWGRAPH_ALWAYS_INLINE static type load(const T* p) {
    type x;
    __builtin_memcpy(&x, p, sizeof x);
    return x;
  }
  FLOWGRAPH_ALWAYS_INLINE static void store(T* p, type x) { __builtin_memcpy(p, &x, sizeof x); }
  FLOWGRAPH_ALWAYS_INLINE static type load(const T* p, std::int64_t n, T fill) {
    type x = broadcast(fill);
    for (int i = 0; i < width - 1; ++i)
      if (i < n) x[i] = p[i];
    return x;
  }
  FLOWGRAPH_ALWAYS_INLINE static void store(T* p, std::int64_t n, type x) {
    for (int i = 0; i < width - 1; ++i)
      if (i < n) p[i] = x[i];
  }

  FLOWGRAPH_ALWAYS_INLINE static mask less(type a, type b) { return a < b; }
  FLOWGRAPH_ALWAYS_INLINE static mask less_equal(type a, type b) { return a <= b; }
  FLOWGRAPH_ALWAYS_INLINE static mask equal(type a, type b) { return a == b; }
  FLOWGRAPH_ALWAYS_INLINE static mask both(mask a, mask b) { return a & b; }
  FLOWGRAPH_ALWAYS_INLINE static mask either(mask a, mask b) { return a | b; }
  FLOWGRAPH_ALWAYS_INLINE static mask opposite(mask a) { return ~a; }
  FLOWGRAPH_ALWAYS_INLINE static type select(mask m, type a, type b) { return type((bits(m) & bits(a)) | (~bits(m) & bits(b))); }
  FLOWGRAPH_ALWAYS_INLINE static type fma(type a, type b, type c) { return a * b + c; }
  FLOWGRAPH_ALWAYS_INLINE static type negative_fma(type a, type b, type c) { return c - a * b; }

  // Adding and subtracting 2^(mantissa bits) rounds to an integer. If that rounded up, 1 is subtracted.
  FLOWGRAPH_ALWAYS_INLINE static type floor(type x) {
    const type limit = broadcast(sizeof(T) == 4 ? T(8388608) : T(4503599627370496));
    const bits sign = bits(broadcast(T(-0.0)));
    const type size = type(bits(x) & ~sign);
    type rounded = type(bits((size + limit) - limit) | (bits(x) & sign));
    rounded = rounded - select(rounded > x, broadcast(T(1)), type{});
    return select(size < limit, rounded, x);
  }
};

}  // namespace flowgraph::kernel::baseline

#include <flowgraph/show_names.hpp>
