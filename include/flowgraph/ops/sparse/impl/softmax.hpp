#pragma once

#include <flowgraph/ops/sparse/detail/softmax.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape sparse_softmax_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                               const flowgraph::shape& values,
                                                               const flowgraph::shape& extents) const {
  const detail::sparse_layout form = detail::check_sparse_layout(c, indices, values, extents);
  if (!c.failed() && form.rank >= 0 && form.rank < 2) return c.fail("the sparse tensor must have at least two axes");
  return {c.failed() ? any : dim(form.count)};
}

FLOWGRAPH_INLINE const std::int64_t* detail::order_rows(cpu ctx, const places& p, view<const std::int64_t> extents) {
  if (!check_extents(ctx, any_indices(extents))) return nullptr;
  const view<const std::int64_t> indices = ctx.input(0).as<std::int64_t>();
  if (!check_inside(ctx, any_indices(indices), p.count, p.rank, any_indices(extents))) return nullptr;
  auto* const order = ctx.scratch<std::int64_t>();
  order_places(p, order);
  return order;
}

}  // namespace flowgraph
