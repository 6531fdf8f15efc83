#pragma once
// Sums of products channel by channel, for depthwise convolutions: the terms are added in order, each product and each sum
// rounded. The result has the same bits at every level.

#include <flowgraph/ops/kernel/packet.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

namespace FLOWGRAPH_LEVEL {

// `Pixels` pixels by `Packets` packets of channels, from channel `at`. `n`: the channels of the last packet if it is not full.
template <unsigned Pixels, unsigned Packets, bool Full, class T>
FLOWGRAPH_ALWAYS_INLINE void sum_taps(const taps_shape& s, const T* const* a, const T* const* b, std::int64_t pixel,
                                      std::int64_t at, T* y, std::int64_t n) {
  using P = packet<T>;
  P sums[Pixels][Packets];
  y += pixel * s.y_step + at;
  FLOWGRAPH_UNROLL
  for (unsigned p = 0; p < Pixels; ++p) {
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < Packets; ++k)
      sums[p][k] = s.accumulate ? load_part<Full>(y + p * s.y_step + k * P::width, n) : P(T(0));
  }
  for (std::int64_t tap = 0; tap < s.taps; ++tap) {
    const T* const from = a[tap] + pixel * s.a_step + at;
    P factors[Packets];
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < Packets; ++k) factors[k] = load_part<Full>(b[tap] + at + k * P::width, n);
    FLOWGRAPH_UNROLL
    for (unsigned p = 0; p < Pixels; ++p) {
      FLOWGRAPH_UNROLL
      for (unsigned k = 0; k < Packets; ++k)
        sums[p][k] = sums[p][k] + load_part<Full>(from + p * s.a_step + k * P::width, n) * factors[k];
    }
  }
  FLOWGRAPH_UNROLL
  for (unsigned p = 0; p < Pixels; ++p) {
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < Packets; ++k) store_part<Full>(sums[p][k], y + p * s.y_step + k * P::width, n);
  }
}

// All channels of `Pixels` pixels.
template <unsigned Pixels, unsigned Packets, class T>
FLOWGRAPH_ALWAYS_INLINE void sum_taps_of(const taps_shape& s, const T* const* a, const T* const* b, std::int64_t pixel, T* y) {
  constexpr std::int64_t width = packet<T>::width;
  std::int64_t at = 0;
  for (; at + Packets * width <= s.channels; at += Packets * width) sum_taps<Pixels, Packets, true>(s, a, b, pixel, at, y, 0);
  for (; at + width <= s.channels; at += width) sum_taps<Pixels, 1, true>(s, a, b, pixel, at, y, 0);
  if (at < s.channels) sum_taps<Pixels, 1, false>(s, a, b, pixel, at, y, s.channels - at);
}

// The slopes of `Taps` taps, for `Packets` packets of channels from channel `at`. `n`: the channels of a packet that is not full.
template <unsigned Taps, unsigned Packets, bool Full, class T>
FLOWGRAPH_ALWAYS_INLINE void sum_slopes(const tap_slopes_shape& s, const T* const* x, const T* d, T* const* y, std::int64_t at,
                                        std::int64_t n) {
  using P = packet<T>;
  P sums[Taps][Packets];
  const T* from[Taps];
  FLOWGRAPH_UNROLL
  for (unsigned t = 0; t < Taps; ++t) {
    from[t] = x[t] + at;
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < Packets; ++k) sums[t][k] = load_part<Full>(y[t] + at + k * P::width, n);
  }
  d += at;
  for (std::int64_t pixel = 0; pixel < s.pixels; ++pixel, d += s.d_step) {
    P slopes[Packets];
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < Packets; ++k) slopes[k] = load_part<Full>(d + k * P::width, n);
    FLOWGRAPH_UNROLL
    for (unsigned t = 0; t < Taps; ++t) {
      FLOWGRAPH_UNROLL
      for (unsigned k = 0; k < Packets; ++k) sums[t][k] = sums[t][k] + load_part<Full>(from[t] + k * P::width, n) * slopes[k];
      from[t] += s.x_step;
    }
  }
  FLOWGRAPH_UNROLL
  for (unsigned t = 0; t < Taps; ++t) {
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < Packets; ++k) store_part<Full>(sums[t][k], y[t] + at + k * P::width, n);
  }
}

// All channels of `Taps` taps.
template <unsigned Taps, class T>
FLOWGRAPH_ALWAYS_INLINE void sum_slopes_of(const tap_slopes_shape& s, const T* const* x, const T* d, T* const* y) {
  constexpr std::int64_t width = packet<T>::width;
  std::int64_t at = 0;
  for (; at + 2 * width <= s.channels; at += 2 * width) sum_slopes<Taps, 2, true>(s, x, d, y, at, 0);
  for (; at + width <= s.channels; at += width) sum_slopes<Taps, 1, true>(s, x, d, y, at, 0);
  if (at < s.channels) sum_slopes<Taps, 1, false>(s, x, d, y, at, s.channels - at);
}

}  // namespace FLOWGRAPH_LEVEL

template <> template <class T> void kernels<own>::taps(const taps_shape& s, const T* const* a, const T* const* b, T* y) {
  std::int64_t pixel = 0;
  for (; pixel + 4 <= s.pixels; pixel += 4) FLOWGRAPH_LEVEL::sum_taps_of<4, 2>(s, a, b, pixel, y);
  for (; pixel < s.pixels; ++pixel) FLOWGRAPH_LEVEL::sum_taps_of<1, 4>(s, a, b, pixel, y);
}

template <>
template <class T>
void kernels<own>::tap_slopes(const tap_slopes_shape& s, const T* const* x, const T* d, T* const* y) {
  std::int64_t tap = 0;
  for (; tap + 3 <= s.taps; tap += 3) FLOWGRAPH_LEVEL::sum_slopes_of<3>(s, x + tap, d, y + tap);
  if (tap + 2 == s.taps) FLOWGRAPH_LEVEL::sum_slopes_of<2>(s, x + tap, d, y + tap);
  if (tap + 1 == s.taps) FLOWGRAPH_LEVEL::sum_slopes_of<1>(s, x + tap, d, y + tap);
}

}  // namespace flowgraph::kernel

#include <flowgraph/show_names.hpp>
