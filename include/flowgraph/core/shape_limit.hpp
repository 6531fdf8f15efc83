#pragma once
// The largest size of a tensor. Shapes that are read from files are compared with it, so that the computation of their size in
// bytes cannot overflow.

#include <flowgraph/core/shape.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The largest number of elements. The size in bytes of this many elements, and a small multiple of this size, fit in 64 bits.
inline constexpr std::int64_t most_elements = std::int64_t{1} << (sizeof(std::size_t) > 4 ? 47 : 30);
// The largest size of one tensor in bytes. If std::size_t has 32 bits, the size in bytes of most_elements elements can overflow.
inline constexpr auto most_bytes = static_cast<std::size_t>(most_elements);

// Returns whether the product of the known extents is too large. Extents of 0 are left out of this product: code multiplies extents
// one after the other, so an intermediate product could overflow even if the size is 0.
constexpr bool is_too_large(const shape& s) {
  std::int64_t size = 1;
  for (const std::int64_t extent : s) {
    if (extent <= 0) continue;
    if (extent > most_elements / size) return true;
    size *= extent;
  }
  return false;
}

// Returns whether a tensor of this shape is empty, but the product of its other extents is too large. Without this check a run
// would accept the tensor, since an empty tensor needs no memory.
constexpr bool is_empty_but_too_large(const shape& s) {
  bool is_empty = false;
  for (const std::int64_t extent : s) is_empty = is_empty || extent == 0;
  return is_empty && is_too_large(s);
}

}  // namespace flowgraph::detail
