#pragma once

#include <flowgraph/ops/sparse/detail/matmul.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape sparse_tensor_dense_mat_mul_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                                            const flowgraph::shape& values,
                                                                            const flowgraph::shape& extents,
                                                                            const flowgraph::shape& b) const {
  if (!fits(extents, {2})) return c.fail("the shape of the sparse matrix must have two elements");
  if (!fits(b, {any, any})) return c.fail("the second operand must be a matrix");
  detail::check_sparse_layout(c, indices, values, extents);
  const flowgraph::shape a = c.failed() ? flowgraph::shape{any, any} : detail::sparse_extents(c, 2, {-1, 2});
  if (c.failed()) return a;
  const flowgraph::shape right = b.has_rank() ? b : flowgraph::shape{any, any};
  if (!fits({a[adjoint_a ? 0 : 1]}, {right[adjoint_b ? 1 : 0]})) return c.fail("the inner dimensions differ");
  return {a[adjoint_a ? 1 : 0], right[adjoint_b ? 0 : 1]};
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t sparse_tensor_dense_mat_mul_op::scratch(const flowgraph::shape& indices,
                                                                                    const flowgraph::shape&,
                                                                                    const flowgraph::shape&,
                                                                                    const flowgraph::shape&) const {
  return static_cast<std::size_t>(indices[0]) * sizeof(detail::product_term);
}

FLOWGRAPH_INLINE const detail::product_term* detail::order_product_terms(cpu ctx, any_indices indices, any_indices extents,
                                                                         bool adjoint_a) {
  const std::int64_t count = indices.dim(0);
  auto* const terms = ctx.scratch<product_term>();
  if (!check_inside(ctx, indices, count, 2, extents)) return nullptr;
  bool is_ordered = true;
  for (std::int64_t i = 0; i < count; ++i) {
    terms[i] = {indices[2 * i + (adjoint_a ? 1 : 0)], indices[2 * i + (adjoint_a ? 0 : 1)], i};
    is_ordered = is_ordered && (i == 0 || terms[i - 1].to <= terms[i].to);
  }
  if (!is_ordered)
    std::sort(terms, terms + count,
              [](const product_term& a, const product_term& b) { return a.to != b.to ? a.to < b.to : a.i < b.i; });
  return terms;
}

}  // namespace flowgraph
