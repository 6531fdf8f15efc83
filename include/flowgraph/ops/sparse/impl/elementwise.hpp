#pragma once

#include <flowgraph/ops/sparse/detail/elementwise.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::sparse_dense_shape(shape_context& c, const shape& indices, const shape& values,
                                                                 const shape& extents, const shape& dense) {
  const sparse_layout form = check_sparse_layout(c, indices, values, extents);
  if (!c.failed() && form.rank >= 0 && dense.rank > form.rank)
    c.fail("the dense tensor must have at most as many axes as the sparse tensor");
  return {c.failed() ? any : dim(form.count)};
}

FLOWGRAPH_INLINE detail::dense_places detail::find_in_dense(cpu ctx, view<const std::int64_t> indices,
                                                            view<const std::int64_t> extents, const shape& dense) {
  dense_places found{places(indices), row_major_steps(dense)};
  if (!check_extents(ctx, any_indices(extents))) return found;
  for (int k = 0; k < dense.rank; ++k) {
    const std::int64_t extent = extents[extents.size() - static_cast<std::size_t>(dense.rank - k)];
    if (dense[k] != extent && (dense[k] != 1 || extent == 0)) {
      ctx.fail(message{"the dense tensor must be broadcast to the sparse tensor: axis ", k, " has the extent ", dense[k],
                       ", expected 1 or ", extent});
      return found;
    }
    if (dense[k] == 1) found.steps[k] = 0;
  }
  check_inside(ctx, any_indices(indices), found.all.count, found.all.rank, any_indices(extents));
  return found;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE void detail::refuse_zero(cpu ctx, std::int64_t row) {
  ctx.fail(message{"element ", row, " is divided by zero"});
}

}  // namespace flowgraph
