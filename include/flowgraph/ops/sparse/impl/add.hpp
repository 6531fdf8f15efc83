#pragma once

#include <flowgraph/ops/sparse/detail/add.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list
sparse_add_op::shape(shape_context& c, const flowgraph::shape& a_indices, const flowgraph::shape& a_values,
                     const flowgraph::shape& a_extents, const flowgraph::shape& b_indices, const flowgraph::shape& b_values,
                     const flowgraph::shape& b_extents, const flowgraph::shape& threshold) const {
  const detail::sparse_layout form = detail::check_sparse_pair(c, a_indices, a_values, a_extents, b_indices, b_values, b_extents);
  if (!c.failed() && !fits(threshold, {})) c.fail("the threshold must be a scalar");
  return {{any, form.rank}, {any}, {form.rank}};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list sparse_add_grad_op::shape(shape_context& c, const flowgraph::shape& slopes,
                                                                     const flowgraph::shape& a, const flowgraph::shape& b,
                                                                     const flowgraph::shape& sum) const {
  if (!fits(slopes, {any})) c.fail("the gradient must be a vector");
  else if (!fits(a, {any, any}) || !fits(b, {any, any}) || !fits(sum, {any, any})) c.fail("the indices must be matrices");
  else if (slopes.has_rank() && sum.has_rank() && !fits({sum[0]}, slopes))
    c.fail("expected as many rows of the sum as gradients");
  const auto extent = [&](const flowgraph::shape& of, int axis) { return of.has_rank() && !c.failed() ? of[axis] : -1; };
  const std::int64_t rank = extent(sum, 1);
  if (!fits({rank}, {extent(a, 1)}) || !fits({rank}, {extent(b, 1)})) c.fail("the indices must have the same number of columns");
  return {{extent(a, 0)}, {extent(b, 0)}};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape sparse_tensor_dense_add_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                                        const flowgraph::shape& values,
                                                                        const flowgraph::shape& extents,
                                                                        const flowgraph::shape& b) const {
  const detail::sparse_layout form = detail::check_sparse_layout(c, indices, values, extents);
  if (!c.failed() && form.rank >= 0 && b.has_rank() && b.rank != form.rank)
    return c.fail("the two tensors must have the same number of axes");
  return b;
}

FLOWGRAPH_INLINE bool detail::begin_dense_sum(cpu ctx, any_indices indices, any_indices extents, const shape& b) {
  for (int k = 0; k < b.rank; ++k)
    if (extents[k] != b[k])
      return detail::fail_check(ctx, message{"the two tensors must have the same shape: extent ", k, " of the sparse tensor is ",
                                             extents[k], ", expected ", b[k]});

  return check_inside(ctx, indices, indices.dim(0), b.rank, extents);
}

}  // namespace flowgraph
