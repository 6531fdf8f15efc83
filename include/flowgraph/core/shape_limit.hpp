#pragma once
// How large a tensor may be at most. A shape from a file may say anything: that of a tensor which nobody can have must not become a
// size, which would wrap around to a small one.

#include <flowgraph/core/shape.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Elements. Times the size of one, and a few times that, fits in 64 bits.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 47;

// Whether the extents that are known are too many already; where one is 0, whether the others are: sizes are multiplied one by one.
constexpr bool is_too_large(const shape& s) {
  std::int64_t size = 1;
  for (const std::int64_t extent : s) {
    if (extent <= 0) continue;
    if (extent > most_elements / size) return true;
    size *= extent;
  }
  return false;
}

}  // namespace detail

}  // namespace flowgraph
