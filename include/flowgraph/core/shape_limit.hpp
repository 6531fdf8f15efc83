#pragma once
// The largest size of a tensor. Shapes from files are checked against it, so that their size in bytes cannot overflow.

#include <flowgraph/core/shape.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Largest number of elements. Multiplied by the size of an element, and a few times more, it fits in 64 bits.
inline constexpr std::int64_t most_elements = std::int64_t{1} << (sizeof(std::size_t) > 4 ? 47 : 30);
// Largest size of one tensor in bytes. With 32 bits, the size of most_elements elements may have overflowed.
inline constexpr auto most_bytes = static_cast<std::size_t>(most_elements);

// Returns whether the product of the known extents is too large. If an extent is 0, the other extents are checked, since sizes
// are multiplied one by one.
constexpr bool is_too_large(const shape& s) {
  std::int64_t size = 1;
  for (const std::int64_t extent : s) {
    if (extent <= 0) continue;
    if (extent > most_elements / size) return true;
    size *= extent;
  }
  return false;
}

// Returns whether an empty tensor has extents whose product is too large. A run would not refuse it otherwise, since it takes no
// memory.
constexpr bool is_empty_but_too_large(const shape& s) {
  bool is_empty = false;
  for (const std::int64_t extent : s) is_empty = is_empty || extent == 0;
  return is_empty && is_too_large(s);
}

}  // namespace detail

}
}  // namespace flowgraph
