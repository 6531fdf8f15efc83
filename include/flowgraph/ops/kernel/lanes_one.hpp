#pragma once
// Packets of a single lane, for kernels of devices. fma() is rounded once. So the mathematical functions return the same bits as
// those of the AVX2 level.

#include <flowgraph/ops/kernel/level.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel::one {

template <class T> struct words;
template <> struct words<float> {
  using type = std::uint32_t;
  FLOWGRAPH_ALWAYS_INLINE static float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
  FLOWGRAPH_ALWAYS_INLINE static float sqrt(float x) { return __builtin_sqrtf(x); }
  FLOWGRAPH_ALWAYS_INLINE static float floor(float x) { return __builtin_floorf(x); }
};
template <> struct words<double> {
  using type = std::uint64_t;
  FLOWGRAPH_ALWAYS_INLINE static double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
  FLOWGRAPH_ALWAYS_INLINE static double sqrt(double x) { return __builtin_sqrt(x); }
  FLOWGRAPH_ALWAYS_INLINE static double floor(double x) { return __builtin_floor(x); }
};

template <class T> struct lanes {
  using type = T;
  using bits = typename words<T>::type;
  using mask = bool;
  static constexpr int width = 1;

  FLOWGRAPH_ALWAYS_INLINE static T broadcast(T x) { return x; }
  FLOWGRAPH_ALWAYS_INLINE static T load(const T* p) { return *p; }
  FLOWGRAPH_ALWAYS_INLINE static void store(T* p, T x) { *p = x; }
  FLOWGRAPH_ALWAYS_INLINE static T load(const T*, std::int64_t, T fill) { return fill; }
  FLOWGRAPH_ALWAYS_INLINE static void store(T*, std::int64_t, T) {}

  FLOWGRAPH_ALWAYS_INLINE static bool less(T a, T b) { return a < b; }
  FLOWGRAPH_ALWAYS_INLINE static bool less_equal(T a, T b) { return a <= b; }
  FLOWGRAPH_ALWAYS_INLINE static bool equal(T a, T b) { return a == b; }
  FLOWGRAPH_ALWAYS_INLINE static bool both(bool a, bool b) { return a && b; }
  FLOWGRAPH_ALWAYS_INLINE static bool either(bool a, bool b) { return a || b; }
  FLOWGRAPH_ALWAYS_INLINE static bool opposite(bool a) { return !a; }
  FLOWGRAPH_ALWAYS_INLINE static T select(bool m, T a, T b) { return m ? a : b; }

  FLOWGRAPH_ALWAYS_INLINE static T fma(T a, T b, T c) { return words<T>::fma(a, b, c); }
  FLOWGRAPH_ALWAYS_INLINE static T negative_fma(T a, T b, T c) { return words<T>::fma(-a, b, c); }
  FLOWGRAPH_ALWAYS_INLINE static T sqrt(T x) { return words<T>::sqrt(x); }
  FLOWGRAPH_ALWAYS_INLINE static T floor(T x) { return words<T>::floor(x); }
  // If an operand is NaN, both return the second operand, as the instructions of x86 do.
  FLOWGRAPH_ALWAYS_INLINE static T min(T a, T b) { return a < b ? a : b; }
  FLOWGRAPH_ALWAYS_INLINE static T max(T a, T b) { return a > b ? a : b; }
};

}  // namespace flowgraph::kernel::one

#include <flowgraph/show_names.hpp>
