#pragma once
// Registers of 16 bytes, with NEON of 64-bit ARM, whose multiply-add is rounded once.

#include <flowgraph/ops/kernel/level.hpp>

#include <arm_neon.h>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel::neon {

template <class T> struct vectors;

template <> struct vectors<float> {
  using type = float32x4_t;
  using bits = uint32x4_t;
  using mask = uint32x4_t;
  static constexpr int width = 4;

  FLOWGRAPH_ALWAYS_INLINE static type broadcast(float x) { return vdupq_n_f32(x); }
  FLOWGRAPH_ALWAYS_INLINE static type load(const float* p) { return vld1q_f32(p); }
  FLOWGRAPH_ALWAYS_INLINE static void store(float* p, type x) { vst1q_f32(p, x); }

  FLOWGRAPH_ALWAYS_INLINE static mask less(type a, type b) { return vcltq_f32(a, b); }
  FLOWGRAPH_ALWAYS_INLINE static mask less_equal(type a, type b) { return vcleq_f32(a, b); }
  FLOWGRAPH_ALWAYS_INLINE static mask equal(type a, type b) { return vceqq_f32(a, b); }
  FLOWGRAPH_ALWAYS_INLINE static type select(mask m, type a, type b) { return vbslq_f32(m, a, b); }

  FLOWGRAPH_ALWAYS_INLINE static type fma(type a, type b, type c) { return vfmaq_f32(c, a, b); }
  FLOWGRAPH_ALWAYS_INLINE static type negative_fma(type a, type b, type c) { return vfmsq_f32(c, a, b); }
  FLOWGRAPH_ALWAYS_INLINE static type sqrt(type x) { return vsqrtq_f32(x); }
  FLOWGRAPH_ALWAYS_INLINE static type floor(type x) { return vrndmq_f32(x); }

  FLOWGRAPH_ALWAYS_INLINE static type interleave_low(type a, type b) { return vzip1q_f32(a, b); }
  FLOWGRAPH_ALWAYS_INLINE static type interleave_high(type a, type b) { return vzip2q_f32(a, b); }
  template <int By> FLOWGRAPH_ALWAYS_INLINE static type rotate(type x) { return vextq_f32(x, x, By); }
};

template <> struct vectors<double> {
  using type = float64x2_t;
  using bits = uint64x2_t;
  using mask = uint64x2_t;
  static constexpr int width = 2;

  FLOWGRAPH_ALWAYS_INLINE static type broadcast(double x) { return vdupq_n_f64(x); }
  FLOWGRAPH_ALWAYS_INLINE static type load(const double* p) { return vld1q_f64(p); }
  FLOWGRAPH_ALWAYS_INLINE static void store(double* p, type x) { vst1q_f64(p, x); }

  FLOWGRAPH_ALWAYS_INLINE static mask less(type a, type b) { return vcltq_f64(a, b); }
  FLOWGRAPH_ALWAYS_INLINE static mask less_equal(type a, type b) { return vcleq_f64(a, b); }
  FLOWGRAPH_ALWAYS_INLINE static mask equal(type a, type b) { return vceqq_f64(a, b); }
  FLOWGRAPH_ALWAYS_INLINE static type select(mask m, type a, type b) { return vbslq_f64(m, a, b); }

  FLOWGRAPH_ALWAYS_INLINE static type fma(type a, type b, type c) { return vfmaq_f64(c, a, b); }
  FLOWGRAPH_ALWAYS_INLINE static type negative_fma(type a, type b, type c) { return vfmsq_f64(c, a, b); }
  FLOWGRAPH_ALWAYS_INLINE static type sqrt(type x) { return vsqrtq_f64(x); }
  FLOWGRAPH_ALWAYS_INLINE static type floor(type x) { return vrndmq_f64(x); }

  FLOWGRAPH_ALWAYS_INLINE static type interleave_low(type a, type b) { return vzip1q_f64(a, b); }
  FLOWGRAPH_ALWAYS_INLINE static type interleave_high(type a, type b) { return vzip2q_f64(a, b); }
  template <int By> FLOWGRAPH_ALWAYS_INLINE static type rotate(type x) { return vextq_f64(x, x, By); }
};

// The functions with one definition for both element types.
template <class T> struct lanes : vectors<T> {
  using typename vectors<T>::type;
  using typename vectors<T>::mask;
  using vectors<T>::broadcast;
  using vectors<T>::less;
  using vectors<T>::load;
  using vectors<T>::select;
  using vectors<T>::store;
  using vectors<T>::width;

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

  FLOWGRAPH_ALWAYS_INLINE static mask both(mask a, mask b) { return a & b; }
  FLOWGRAPH_ALWAYS_INLINE static mask either(mask a, mask b) { return a | b; }
  FLOWGRAPH_ALWAYS_INLINE static mask opposite(mask a) { return ~a; }

  // The second operand if either operand is NaN, as on x86-64. NEON's own functions return NaN.
  FLOWGRAPH_ALWAYS_INLINE static type min(type a, type b) { return select(less(a, b), a, b); }
  FLOWGRAPH_ALWAYS_INLINE static type max(type a, type b) { return select(less(b, a), a, b); }
};

}  // namespace flowgraph::kernel::neon

#include <flowgraph/show_names.hpp>
