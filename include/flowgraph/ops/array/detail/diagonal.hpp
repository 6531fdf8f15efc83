#pragma once

#include <flowgraph/ops/array/diagonal.hpp>
#include <flowgraph/ops/array/detail/rearrange.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_KERNEL_INLINE void copy_diagonal(cpu ctx, element_layout e, std::int64_t n, bool from_matrix, void* y) {
  strided_box box;
  box.push(n, from_matrix ? n + 1 : 1, from_matrix ? 1 : n + 1);
  const sixteen_bytes zero{};
  if (!from_matrix) fill_elements(ctx, e, &zero, y, n * n);
  copy_box(ctx, e, ctx.input(0).data(), y, box);
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape diag_op::shape(shape_context& c, const flowgraph::shape& x) const {
  if (!x.has_rank()) return x;
  if (x.rank < 1 || 2 * x.rank > flowgraph::shape::max_rank)
    return c.fail(message{"expected an input of at least one and at most ", flowgraph::shape::max_rank / 2, " axes"});
  flowgraph::shape result = x;
  for (const std::int64_t extent : x) result.push_back(extent);
  return result;
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape diag_part_op::shape(shape_context& c, const flowgraph::shape& x) const {
  if (!x.has_rank()) return x;
  if (x.rank % 2 != 0) return c.fail("expected an input of an even number of axes");
  const int half_rank = x.rank / 2;
  flowgraph::shape result;
  for (int i = 0; i < half_rank; ++i) {
    const std::int64_t a = x[i], b = x[i + half_rank];
    if (a >= 0 && b >= 0 && a != b) return c.fail(message{"axes ", i, " and ", i + half_rank, " must have one extent"});
    result.push_back(std::max(a, b));
  }
  return result;
}
template <class T> void diag_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  detail::copy_diagonal(ctx, detail::layout_of<T>, static_cast<std::int64_t>(x.size()), false, y.data());
}
template <class T> void diag_part_op::operator()(cpu ctx, view<const T>, view<T> y) const {
  detail::copy_diagonal(ctx, detail::layout_of<T>, static_cast<std::int64_t>(y.size()), true, y.data());
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
