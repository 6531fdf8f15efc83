#pragma once

#include <flowgraph/ops/sparse/detail/extremes.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list detail::sparse_pair_shape(shape_context& c, const shape& a_indices,
                                                                     const shape& a_values, const shape& a_extents,
                                                                     const shape& b_indices, const shape& b_values,
                                                                     const shape& b_extents) {
  const sparse_layout form = check_sparse_pair(c, a_indices, a_values, a_extents, b_indices, b_values, b_extents);
  return {{any, form.rank}, {any}};
}

}  // namespace flowgraph
