#pragma once
// The largest elements of windows, channel by channel, for pools.

#include <flowgraph/ops/kernel/packet.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

namespace FLOWGRAPH_LEVEL {

// `Packets` packets of channels, from channel `at`. `n`: the channels of a packet that is not full.
template <unsigned Packets, bool Full, class T>
FLOWGRAPH_ALWAYS_INLINE void largest_of(const T* const* x, std::int64_t count, bool continues, T* y, std::int64_t at,
                                        [[maybe_unused]] std::int64_t n) {
  using P = packet<T>;
  constexpr T least = sizeof(T) == sizeof(float) ? static_cast<T>(-__FLT_MAX__) : static_cast<T>(-__DBL_MAX__);
  P largest[Packets];
  FLOWGRAPH_UNROLL
  for (unsigned k = 0; k < Packets; ++k) largest[k] = continues ? load_part<Full>(y + at + k * P::width, n) : P(least);
  for (std::int64_t i = 0; i < count; ++i) {
    const T* const from = x[i] + at;
    FLOWGRAPH_UNROLL
    for (unsigned k = 0; k < Packets; ++k) {
      const P next = load_part<Full>(from + k * P::width, n);
      largest[k] = select(next > largest[k], next, largest[k]);
    }
  }
  FLOWGRAPH_UNROLL
  for (unsigned k = 0; k < Packets; ++k) store_part<Full>(largest[k], y + at + k * P::width, n);
}

}  // namespace FLOWGRAPH_LEVEL

template <>
template <class T>
void kernels<own>::largest(const T* const* x, std::int64_t count, bool continues, T* y, std::int64_t n) {
  constexpr std::int64_t width = FLOWGRAPH_LEVEL::packet<T>::width;
  std::int64_t at = 0;
  for (; at + 4 * width <= n; at += 4 * width) FLOWGRAPH_LEVEL::largest_of<4, true>(x, count, continues, y, at, 0);
  for (; at + width <= n; at += width) FLOWGRAPH_LEVEL::largest_of<1, true>(x, count, continues, y, at, 0);
  if (at < n) FLOWGRAPH_LEVEL::largest_of<1, false>(x, count, continues, y, at, n - at);
}

}  // namespace flowgraph::kernel

#include <flowgraph/show_names.hpp>
