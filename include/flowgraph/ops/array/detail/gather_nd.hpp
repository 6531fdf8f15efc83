#pragma once

#include <flowgraph/ops/array/gather_nd.hpp>
#include <flowgraph/ops/array/detail/index_vectors.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape gather_nd_op::shape(shape_context& c, const flowgraph::shape& params,
                                                                 const flowgraph::shape& indices) const {
  return detail::gathered_shape(c, params, indices);
}

template <class T, class I> void gather_nd_op::operator()(cpu ctx, view<const T>, index_view<I>, view<T> y) const {
  detail::gather_slices(ctx, detail::layout_of<T>, ctx.input(0), ctx.input(1), bad_indices, y.data());
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape scatter_nd_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                                  const flowgraph::shape& updates,
                                                                  const flowgraph::shape& extents) const {
  using flowgraph::shape;
  const shape result = detail::shape_of_extents(c, 2, extents);
  if (c.failed()) return shape::unknown();
  return detail::scattered_shape(c, result, indices, updates);
}

template <class T, class I>
void scatter_nd_op::operator()(cpu ctx, index_view<I>, view<const T> updates, index_view<I>, view<T> y) const {
  const detail::slice_list slices = detail::list_slices(y.shape(), ctx.input(0));
  if (!detail::check_slices(ctx, slices, y.shape(), bad_indices)) return;
  const T zero{};
  detail::fill_elements(ctx, detail::layout_of<T>, &zero, y.data(), static_cast<std::int64_t>(y.size()));
  detail::change_slices<functor::add>(ctx, slices, updates.data(), y.data());
}

}  // namespace flowgraph
