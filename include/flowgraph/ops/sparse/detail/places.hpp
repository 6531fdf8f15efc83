#pragma once
// The places of the elements of sparse tensors: tests of them, their order, and their position in a dense tensor.

#include <flowgraph/core/index_view.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Rows of int64 indices, one row per element.
struct places {
  const std::int64_t* data = nullptr;
  std::int64_t count = 0, rank = 0;

  explicit places(view<const std::int64_t> matrix) : data(matrix.data()), count(matrix.dim(0)), rank(matrix.dim(1)) {}
  const std::int64_t* operator[](std::int64_t i) const { return data + i * rank; }
};

// Returns a number that is negative, 0 or positive if place a precedes, equals or follows place b.
inline int compare_places(const std::int64_t* a, const std::int64_t* b, std::int64_t rank) {
  for (std::int64_t k = 0; k < rank; ++k)
    if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
  return 0;
}

// Fails and returns false if an extent is negative, or if their product does not fit in 64 bits.
bool check_extents(cpu ctx, any_indices extents);
// Fails and returns false if an index is outside of its extent. `indices` has `rank` columns.
bool check_inside(cpu ctx, any_indices indices, std::int64_t count, std::int64_t rank, any_indices extents);
// Fails and names the position of an index that is outside of its extent.
FLOWGRAPH_COLD void refuse_index(cpu ctx, std::int64_t row, std::int64_t column, std::int64_t found, std::int64_t extent,
                                 error_code code = error_code::invalid_argument);

// Returns whether the places are in ascending order; equal neighbours count as ascending only if `allow_equal`.
bool are_ordered(const places& p, bool allow_equal);
// Fills `order` with the numbers of the places in ascending order; equal places remain in their order.
void order_places(const places& p, std::int64_t* order);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/places.hpp>
#endif
