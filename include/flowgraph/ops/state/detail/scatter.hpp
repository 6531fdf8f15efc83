#pragma once

#include <flowgraph/ops/state/detail/scatter_rows.hpp>
#include <flowgraph/ops/state/scatter.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A variable that is declared as a scalar may have an unknown shape, so the kernel checks the shape of its value.
FLOWGRAPH_KERNEL_INLINE flowgraph::shape detail::scatter_shape(shape_context& c, const flowgraph::shape& variable,
                                                               const flowgraph::shape& indices, const flowgraph::shape& updates) {
  if (variable.rank <= 0 || updates.rank == 0 || !indices.has_rank()) return variable.rank == 0 ? shape::unknown() : variable;
  flowgraph::shape expected = indices;
  for (int i = 1; i < variable.rank; ++i) expected.push_back(variable[i]);
  return fits(updates, expected) ? variable : c.fail(message{"expected updates of shape ", expected, ", or a scalar"});
}

template <class T, class I>
void scatter_update_op::operator()(cpu ctx, reference<T> ref, index_view<I> indices, view<const T> updates,
                                   reference_out<T>) const {
  detail::scatter_assign(ctx, ref, detail::row_indices(indices), updates);
}
template <class T, class I>
void scatter_add_op::operator()(cpu ctx, reference<T> ref, index_view<I> indices, view<const T> updates, reference_out<T>) const {
  detail::scatter_change<functor::add>(ctx, ref, detail::row_indices(indices), updates);
}
template <class T, class I>
void scatter_sub_op::operator()(cpu ctx, reference<T> ref, index_view<I> indices, view<const T> updates, reference_out<T>) const {
  detail::scatter_change<functor::sub>(ctx, ref, detail::row_indices(indices), updates);
}

}  // namespace flowgraph
