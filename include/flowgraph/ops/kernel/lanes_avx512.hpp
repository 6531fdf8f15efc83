#pragma once
// Registers of 64 bytes, with AVX-512 and its mask registers.
//
// The code uses masked intrinsics with the mask `all` instead of unmasked intrinsics, for which GCC 12 prints warnings when they
// are inlined (GCC bug 105593).

#include <flowgraph/ops/kernel/level.hpp>

#include <immintrin.h>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel::avx512 {

template <class T> struct lanes;

template <> struct lanes<float> {
  typedef float type [[gnu::vector_size(64)]];
  typedef std::uint32_t bits [[gnu::vector_size(64)]];
  using mask = __mmask16;
  static constexpr mask all = 0xffff;
  static constexpr int width = 16;

  FLOWGRAPH_ALWAYS_INLINE static type broadcast(float x) { return _mm512_set1_ps(x); }
  FLOWGRAPH_ALWAYS_INLINE static type load(const float* p) { return _mm512_loadu_ps(p); }
  FLOWGRAPH_ALWAYS_INLINE static void store(float* p, type x) { _mm512_storeu_ps(p, x); }
  FLOWGRAPH_ALWAYS_INLINE static mask first(std::int64_t n) { return static_cast<mask>((1u << n) - 1u); }
  FLOWGRAPH_ALWAYS_INLINE static type load(const float* p, std::int64_t n, float fill) {
    return _mm512_mask_loadu_ps(_mm512_set1_ps(fill), first(n), p);
  }
  FLOWGRAPH_ALWAYS_INLINE static void store(float* p, std::int64_t n, type x) { _mm512_mask_storeu_ps(p, first(n), x); }

  FLOWGRAPH_ALWAYS_INLINE static mask less(type a, type b) { return _mm512_cmp_ps_mask(a, b, _CMP_LT_OS); }
  FLOWGRAPH_ALWAYS_INLINE static mask less_equal(type a, type b) { return _mm512_cmp_ps_mask(a, b, _CMP_LE_OS); }
  FLOWGRAPH_ALWAYS_INLINE static mask equal(type a, type b) { return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ); }
  FLOWGRAPH_ALWAYS_INLINE static mask both(mask a, mask b) { return static_cast<mask>(a & b); }
  FLOWGRAPH_ALWAYS_INLINE static mask either(mask a, mask b) { return static_cast<mask>(a | b); }
  FLOWGRAPH_ALWAYS_INLINE static mask opposite(mask a) { return static_cast<mask>(~a); }
  FLOWGRAPH_ALWAYS_INLINE static type select(mask m, type a, type b) { return _mm512_mask_blend_ps(m, b, a); }

  FLOWGRAPH_ALWAYS_INLINE static type fma(type a, type b, type c) { return _mm512_fmadd_ps(a, b, c); }
  FLOWGRAPH_ALWAYS_INLINE static type negative_fma(type a, type b, type c) { return _mm512_fnmadd_ps(a, b, c); }
  FLOWGRAPH_ALWAYS_INLINE static type sqrt(type x) { return _mm512_maskz_sqrt_ps(all, x); }
  // a / sqrt(x) of the first n lanes, 0 < n <= width. The others are undefined. Registers of fewer lanes take less time.
  FLOWGRAPH_ALWAYS_INLINE static type over_root(type a, type x, std::int64_t n) {
    if (n > 8) return a / sqrt(x);
    const auto low = [](type y) __attribute__((always_inline)) { return __builtin_shufflevector(y, y, 0, 1, 2, 3, 4, 5, 6, 7); };
    const __m256 y = low(a), z = low(x);
    if (n > 4) {
      const __m256 q = _mm256_div_ps(y, _mm256_sqrt_ps(z));
      return __builtin_shufflevector(q, q, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    const __m128 q = _mm_div_ps(_mm256_castps256_ps128(y), _mm_sqrt_ps(_mm256_castps256_ps128(z)));
    return __builtin_shufflevector(q, q, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3);
  }
  FLOWGRAPH_ALWAYS_INLINE static type min(type a, type b) { return _mm512_maskz_min_ps(all, a, b); }
  FLOWGRAPH_ALWAYS_INLINE static type max(type a, type b) { return _mm512_maskz_max_ps(all, a, b); }
  FLOWGRAPH_ALWAYS_INLINE static type floor(type x) { return _mm512_floor_ps(x); }
  FLOWGRAPH_ALWAYS_INLINE static type scale(type x, type n) { return _mm512_maskz_scalef_ps(all, x, n); }  // x * 2^n

  FLOWGRAPH_ALWAYS_INLINE static type interleave_low(type a, type b) {
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  }
  FLOWGRAPH_ALWAYS_INLINE static type interleave_high(type a, type b) {
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  }
  template <int By> FLOWGRAPH_ALWAYS_INLINE static type rotate(type x) {
    return __builtin_shufflevector(x, x, By % 16, (By + 1) % 16, (By + 2) % 16, (By + 3) % 16, (By + 4) % 16, (By + 5) % 16,
                                   (By + 6) % 16, (By + 7) % 16, (By + 8) % 16, (By + 9) % 16, (By + 10) % 16, (By + 11) % 16,
                                   (By + 12) % 16, (By + 13) % 16, (By + 14) % 16, (By + 15) % 16);
  }
};

template <> struct lanes<double> {
  typedef double type [[gnu::vector_size(64)]];
  typedef std::uint64_t bits [[gnu::vector_size(64)]];
  using mask = __mmask8;
  static constexpr mask all = 0xff;
  static constexpr int width = 8;

  FLOWGRAPH_ALWAYS_INLINE static type broadcast(double x) { return _mm512_set1_pd(x); }
  FLOWGRAPH_ALWAYS_INLINE static type load(const double* p) { return _mm512_loadu_pd(p); }
  FLOWGRAPH_ALWAYS_INLINE static void store(double* p, type x) { _mm512_storeu_pd(p, x); }
  FLOWGRAPH_ALWAYS_INLINE static mask first(std::int64_t n) { return static_cast<mask>((1u << n) - 1u); }
  FLOWGRAPH_ALWAYS_INLINE static type load(const double* p, std::int64_t n, double fill) {
    return _mm512_mask_loadu_pd(_mm512_set1_pd(fill), first(n), p);
  }
  FLOWGRAPH_ALWAYS_INLINE static void store(double* p, std::int64_t n, type x) { _mm512_mask_storeu_pd(p, first(n), x); }

  FLOWGRAPH_ALWAYS_INLINE static mask less(type a, type b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OS); }
  FLOWGRAPH_ALWAYS_INLINE static mask less_equal(type a, type b) { return _mm512_cmp_pd_mask(a, b, _CMP_LE_OS); }
  FLOWGRAPH_ALWAYS_INLINE static mask equal(type a, type b) { return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ); }
  FLOWGRAPH_ALWAYS_INLINE static mask both(mask a, mask b) { return static_cast<mask>(a & b); }
  FLOWGRAPH_ALWAYS_INLINE static mask either(mask a, mask b) { return static_cast<mask>(a | b); }
  FLOWGRAPH_ALWAYS_INLINE static mask opposite(mask a) { return static_cast<mask>(~a); }
  FLOWGRAPH_ALWAYS_INLINE static type select(mask m, type a, type b) { return _mm512_mask_blend_pd(m, b, a); }

  FLOWGRAPH_ALWAYS_INLINE static type fma(type a, type b, type c) { return _mm512_fmadd_pd(a, b, c); }
  FLOWGRAPH_ALWAYS_INLINE static type negative_fma(type a, type b, type c) { return _mm512_fnmadd_pd(a, b, c); }
  FLOWGRAPH_ALWAYS_INLINE static type sqrt(type x) { return _mm512_maskz_sqrt_pd(all, x); }
  FLOWGRAPH_ALWAYS_INLINE static type min(type a, type b) { return _mm512_maskz_min_pd(all, a, b); }
  FLOWGRAPH_ALWAYS_INLINE static type max(type a, type b) { return _mm512_maskz_max_pd(all, a, b); }
  FLOWGRAPH_ALWAYS_INLINE static type floor(type x) { return _mm512_floor_pd(x); }
  FLOWGRAPH_ALWAYS_INLINE static type scale(type x, type n) { return _mm512_maskz_scalef_pd(all, x, n); }  // x * 2^n

  FLOWGRAPH_ALWAYS_INLINE static type interleave_low(type a, type b) {
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  }
  FLOWGRAPH_ALWAYS_INLINE static type interleave_high(type a, type b) {
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
  }
  template <int By> FLOWGRAPH_ALWAYS_INLINE static type rotate(type x) {
    return __builtin_shufflevector(x, x, By % 8, (By + 1) % 8, (By + 2) % 8, (By + 3) % 8, (By + 4) % 8, (By + 5) % 8,
                                   (By + 6) % 8, (By + 7) % 8);
  }
};

}  // namespace flowgraph::kernel::avx512

#include <flowgraph/show_names.hpp>
