#pragma once
// Loops over the channels of a pixel.

#include <flowgraph/config.hpp>

#include <cstdint>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Calls f(channel) for each channel. If Depth is not 0, it is the number of channels, and the calls are unrolled: sums that are
// indexed by the channel stay in registers.
template <std::int64_t Depth, class F> inline void for_channels(std::int64_t depth, const F& f) {
  if constexpr (Depth == 0) {
    for (std::int64_t c = 0; c < depth; ++c) f(c);
  } else {
    [&]<std::int64_t... C>(std::integer_sequence<std::int64_t, C...>) {
      (f(C), ...);
    }(std::make_integer_sequence<std::int64_t, Depth>());
  }
}

// The elements of an array for Depth channels; at least one.
template <std::int64_t Depth> inline constexpr std::size_t room_for_channels = static_cast<std::size_t>(Depth ? Depth : 1);

}  // namespace flowgraph::detail
