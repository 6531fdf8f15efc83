#pragma once
// Registers of 32 bytes, with AVX2 and FMA.

#include <flowgraph/ops/kernel/level.hpp>

#include <immintrin.h>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel::avx2 {

template <class T> struct lanes;

template <> struct lanes<float> {
  typedef float type [[gnu::vector_size(32)]];
  typedef std::uint32_t bits [[gnu::vector_size(32)]];
  using mask = decltype(type{} < type{});
  static constexpr int width = 8;

  FLOWGRAPH_ALWAYS_INLINE static type broadcast(float x) { return _mm256_set1_ps(x); }
  FLOWGRAPH_ALWAYS_INLINE static type load(const float* p) { return _mm256_loadu_ps(p); }
  FLOWGRAPH_ALWAYS_INLINE static void store(float* p, type x) { _mm256_storeu_ps(p, x); }
  FLOWGRAPH_ALWAYS_INLINE static __m256i first(std::int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  FLOWGRAPH_ALWAYS_INLINE static type load(const float* p, std::int64_t n, float fill) {
    const __m256i used = first(n);
    return _mm256_blendv_ps(_mm256_set1_ps(fill), _mm256_maskload_ps(p, used), _mm256_castsi256_ps(used));
  }
  FLOWGRAPH_ALWAYS_INLINE static void store(float* p, std::int64_t n, type x) { _mm256_maskstore_ps(p, first(n), x); }

  FLOWGRAPH_ALWAYS_INLINE static mask less(type a, type b) { return a < b; }
  FLOWGRAPH_ALWAYS_INLINE static mask less_equal(type a, type b) { return a <= b; }
  FLOWGRAPH_ALWAYS_INLINE static mask equal(type a, type b) { return a == b; }
  FLOWGRAPH_ALWAYS_INLINE static mask both(mask a, mask b) { return a & b; }
  FLOWGRAPH_ALWAYS_INLINE static mask either(mask a, mask b) { return a | b; }
  FLOWGRAPH_ALWAYS_INLINE static mask opposite(mask a) { return ~a; }
  FLOWGRAPH_ALWAYS_INLINE static type select(mask m, type a, type b) { return _mm256_blendv_ps(b, a, __m256(m)); }

  FLOWGRAPH_ALWAYS_INLINE static type fma(type a, type b, type c) { return _mm256_fmadd_ps(a, b, c); }
  FLOWGRAPH_ALWAYS_INLINE static type negative_fma(type a, type b, type c) { return _mm256_fnmadd_ps(a, b, c); }
  FLOWGRAPH_ALWAYS_INLINE static type sqrt(type x) { return _mm256_sqrt_ps(x); }
  FLOWGRAPH_ALWAYS_INLINE static type min(type a, type b) { return _mm256_min_ps(a, b); }
  FLOWGRAPH_ALWAYS_INLINE static type max(type a, type b) { return _mm256_max_ps(a, b); }
  FLOWGRAPH_ALWAYS_INLINE static type floor(type x) { return _mm256_floor_ps(x); }

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

template <> struct lanes<double> {
  typedef double type [[gnu::vector_size(32)]];
  typedef std::uint64_t bits [[gnu::vector_size(32)]];
  using mask = decltype(type{} < type{});
  static constexpr int width = 4;

  FLOWGRAPH_ALWAYS_INLINE static type broadcast(double x) { return _mm256_set1_pd(x); }
  FLOWGRAPH_ALWAYS_INLINE static type load(const double* p) { return _mm256_loadu_pd(p); }
  FLOWGRAPH_ALWAYS_INLINE static void store(double* p, type x) { _mm256_storeu_pd(p, x); }
  FLOWGRAPH_ALWAYS_INLINE static __m256i first(std::int64_t n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
  }
  FLOWGRAPH_ALWAYS_INLINE static type load(const double* p, std::int64_t n, double fill) {
    const __m256i used = first(n);
    return _mm256_blendv_pd(_mm256_set1_pd(fill), _mm256_maskload_pd(p, used), _mm256_castsi256_pd(used));
  }
  FLOWGRAPH_ALWAYS_INLINE static void store(double* p, std::int64_t n, type x) { _mm256_maskstore_pd(p, first(n), x); }

  FLOWGRAPH_ALWAYS_INLINE static mask less(type a, type b) { return a < b; }
  FLOWGRAPH_ALWAYS_INLINE static mask less_equal(type a, type b) { return a <= b; }
  FLOWGRAPH_ALWAYS_INLINE static mask equal(type a, type b) { return a == b; }
  FLOWGRAPH_ALWAYS_INLINE static mask both(mask a, mask b) { return a & b; }
  FLOWGRAPH_ALWAYS_INLINE static mask either(mask a, mask b) { return a | b; }
  FLOWGRAPH_ALWAYS_INLINE static mask opposite(mask a) { return ~a; }
  FLOWGRAPH_ALWAYS_INLINE static type select(mask m, type a, type b) { return _mm256_blendv_pd(b, a, __m256d(m)); }

  FLOWGRAPH_ALWAYS_INLINE static type fma(type a, type b, type c) { return _mm256_fmadd_pd(a, b, c); }
  FLOWGRAPH_ALWAYS_INLINE static type negative_fma(type a, type b, type c) { return _mm256_fnmadd_pd(a, b, c); }
  FLOWGRAPH_ALWAYS_INLINE static type sqrt(type x) { return _mm256_sqrt_pd(x); }
  FLOWGRAPH_ALWAYS_INLINE static type min(type a, type b) { return _mm256_min_pd(a, b); }
  FLOWGRAPH_ALWAYS_INLINE static type max(type a, type b) { return _mm256_max_pd(a, b); }
  FLOWGRAPH_ALWAYS_INLINE static type floor(type x) { return _mm256_floor_pd(x); }

  FLOWGRAPH_ALWAYS_INLINE static type interleave_low(type a, type b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
  FLOWGRAPH_ALWAYS_INLINE static type interleave_high(type a, type b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }
  template <int By> FLOWGRAPH_ALWAYS_INLINE static type rotate(type x) {
    return __builtin_shufflevector(x, x, By % 4, (By + 1) % 4, (By + 2) % 4, (By + 3) % 4);
  }
};

}  // namespace flowgraph::kernel::avx2

#include <flowgraph/show_names.hpp>
