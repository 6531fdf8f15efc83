#pragma once

#include <flowgraph/ops/sparse/detail/reorder.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list sparse_reorder_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                                    const flowgraph::shape& values,
                                                                    const flowgraph::shape& extents) const {
  const detail::sparse_layout form = detail::check_sparse_layout(c, indices, values, extents);
  return {{form.count, form.rank}, {form.count}};
}

FLOWGRAPH_INLINE void detail::reorder_places(cpu ctx, element_layout e, view<const std::int64_t> indices, const void* values,
                                             std::int64_t* ordered_indices, void* ordered_values) {
  const places p(indices);
  auto* const order = ctx.scratch<std::int64_t>();
  order_places(p, order);
  for (std::int64_t i = 0; i < p.count; ++i) {
    std::copy_n(p[order[i]], p.rank, ordered_indices + i * p.rank);
    copy_elements(e, element_at(e, values, order[i]), element_at(e, ordered_values, i), 1);
  }
}

}  // namespace flowgraph
