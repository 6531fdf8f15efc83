#pragma once
// Two sparse tensors of the same shape, whose places are merged.

#include <flowgraph/ops/sparse/detail/places.hpp>
#include <flowgraph/ops/sparse/sparse_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Calls f(i, j) for each place of a or b, in ascending order: i is the element of a, j the element of b, or -1.
template <class F> void merge_places(const places& a, const places& b, const F& f) {
  std::int64_t i = 0, j = 0;
  while (i < a.count || j < b.count) {
    const int found = i == a.count ? 1 : j == b.count ? -1 : compare_places(a[i], b[j], a.rank);
    f(found <= 0 ? i : -1, found >= 0 ? j : -1);
    if (found <= 0) ++i;
    if (found >= 0) ++j;
  }
}

// Fails unless the parts of two sparse tensors can have the same shape. Returns the common form, without the count.
sparse_layout check_sparse_pair(shape_context& c, const shape& a_indices, const shape& a_values, const shape& a_extents,
                                const shape& b_indices, const shape& b_values, const shape& b_extents);
// Fails and returns false if the shapes differ, or if an index is outside of the shape.
bool check_pair(cpu ctx, const places& a, const places& b, view<const std::int64_t> a_extents,
                view<const std::int64_t> b_extents);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/pairs.hpp>
#endif
