#pragma once
// How large a tensor may be at most. A shape from a file may say anything: that of a tensor which nobody can have must not become a
// size, which would wrap around to a small one.

#include <flowgraph/core/shape.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Elements. Times the size of one, and a few times that, fits in 64 bits.
inline constexpr std::int64_t most_elements = std::int64_t{1} << (sizeof(std::size_t) > 4 ? 47 : 30);
// Of one tensor. In 32 bits, a size of so many elements may have wrapped around.
inline constexpr auto most_bytes = static_cast<std::size_t>(most_elements);

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

// The same for a shape that takes no memory, so that nothing else would refuse it in a run.
constexpr bool is_empty_but_too_large(const shape& s) {
  bool is_empty = false;
  for (const std::int64_t extent : s) is_empty = is_empty || extent == 0;
  return is_empty && is_too_large(s);
}

}  // namespace detail

}
}  // namespace flowgraph
