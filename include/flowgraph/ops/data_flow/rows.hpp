#pragma once
// Shapes of batches, whose first axis counts elements, and of those elements.

#include <flowgraph/core/shape.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace detail {

// Without the first extent, as far as there is one.
constexpr shape shape_of_rows(const shape& batch) {
  return batch.rank > 0 ? shape::of(batch.dims + 1, batch.rank - 1) : shape::unknown();
}
// `size` elements of shape `row`, which has a rank.
constexpr shape shape_of_batch(std::int64_t size, const shape& row) {
  shape made{size};
  for (const std::int64_t extent : row) made.push_back(extent);
  return made;
}

}
}
}  // namespace flowgraph::detail
