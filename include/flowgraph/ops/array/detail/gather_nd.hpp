#pragma once

#include <flowgraph/ops/array/gather_nd.hpp>
#include <flowgraph/ops/array/detail/index_vectors.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape gather_nd_op::shape(shape_context& c, const flowgraph::shape& params,
                                                                 const flowgraph::shape& indices) const {
  return detail::gathered_shape(c, params, indices);
}

template <class T, class I> void gather_nd_op::operator()(cpu ctx, view<const T>, view<const I>, view<T> y) const {
  detail::gather_slices(ctx, detail::layout_of<T>, ctx.input(0), ctx.input(1), bad_indices, y.data());
}

}
}  // namespace flowgraph
