#pragma once
// Sums of products channel by channel, for depthwise convolutions: the taps of a filter are added in order, each product and each sum
// rounded. The result has the same bits at every level.

#include <flowgraph/ops/kernel/packet.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace kernel {

namespace FLOWGRAPH_LEVEL {

// `Pixels` pixels by `Packets` packets of channels, from channel `at`. `n`: the channels of the last packet if it is not full.
template <unsigned Pixels, unsigned Packets, bool Full, class T>
FLOWGRAPH_ALWAYS_INLINE void sum_taps(const taps_shape& s, const T* const* a, const T* const* b, std::int64_t pixel,
                                      std::int64_t at, T* y, std::int64_t n) {
  using P = packet<T>;
  const auto load = [n](const T* p) __attribute__((always_inline)) {
    static_cast<void>(n);
    if constexpr (Full) return P::load(p);
    else return P::load(p, n, T(0));
  };
  P sums[Pixels][Packets];
  y += pixel * s.y_step + at;
  FLOWGRAPH_UNROLL
  for (unsigned p = 0; p < Pixels; ++p) {
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < Packets; ++k) sums[p][k] = s.accumulate ? load(y + p * s.y_step + k * P::width) : P(T(0));
  }
  for (std::int64_t tap = 0; tap < s.taps; ++tap) {
    const T* const from = a[tap] + pixel * s.a_step + at;
    P factors[Packets];
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < Packets; ++k) factors[k] = load(b[tap] + at + k * P::width);
    FLOWGRAPH_UNROLL
    for (unsigned p = 0; p < Pixels; ++p) {
      FLOWGRAPH_UNROLL
      for (unsigned k = 0; k < Packets; ++k) sums[p][k] = sums[p][k] + load(from + p * s.a_step + k * P::width) * factors[k];
    }
  }
  FLOWGRAPH_UNROLL
  for (unsigned p = 0; p < Pixels; ++p) {
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < Packets; ++k) {
      if constexpr (Full) sums[p][k].store(y + p * s.y_step + k * P::width);
      else sums[p][k].store(y + p * s.y_step + k * P::width, n);
    }
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

}  // namespace FLOWGRAPH_LEVEL

template <> template <class T> void kernels<own>::taps(const taps_shape& s, const T* const* a, const T* const* b, T* y) {
  std::int64_t pixel = 0;
  for (; pixel + 4 <= s.pixels; pixel += 4) FLOWGRAPH_LEVEL::sum_taps_of<4, 2>(s, a, b, pixel, y);
  for (; pixel < s.pixels; ++pixel) FLOWGRAPH_LEVEL::sum_taps_of<1, 4>(s, a, b, pixel, y);
}

}
}
}  // namespace flowgraph::kernel

#include <flowgraph/show_names.hpp>
