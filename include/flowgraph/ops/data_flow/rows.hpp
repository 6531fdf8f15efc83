#pragma once
// Conversions between the shape of a batch, whose first axis counts elements, and the shape of an element.

#include <flowgraph/core/shape.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the shape without its first extent, if it has one.
constexpr shape shape_of_rows(const shape& batch) {
  return batch.rank > 0 ? shape::of(batch.dims + 1, batch.rank - 1) : shape::unknown();
}
// Returns the shape of a batch of `size` elements of shape `row`. The rank of `row` must be known.
constexpr shape shape_of_batch(std::int64_t size, const shape& row) {
  shape result{size};
  for (const std::int64_t extent : row) result.push_back(extent);
  return result;
}

}  // namespace flowgraph::detail
