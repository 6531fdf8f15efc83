#pragma once

#include <flowgraph/ops/array/detail/strided.hpp>
#include <flowgraph/ops/state/detail/variable_access.hpp>
#include <flowgraph/ops/state/slice_assign.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class Access, class T> void assign_slice(cpu ctx, const Access& v, const slice_masks& masks, view<const T> value) {
  strided_plan plan;
  if (!is_usable(ctx, v) || !plan_strided(ctx, masks, v.shape(), plan)) return;
  if (!fits_slice(value.shape(), plan.slice)) return fail_shapes(ctx, "value of the slice", plan.slice, value.shape());
  const view<T> w = v.update();
  if (!ctx.failed()) write_slice(ctx, layout_of<T>, ctx.input(4), w.data(), plan);
}

}  // namespace detail

// A variable that is declared as a scalar may have an unknown shape, so the kernel checks the shape of its value.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape strided_slice_assign_op::shape(shape_context& c, const flowgraph::shape& ref,
                                                                            const flowgraph::shape& begin,
                                                                            const flowgraph::shape& end,
                                                                            const flowgraph::shape& strides,
                                                                            const flowgraph::shape& value) const {
  using flowgraph::shape;
  if (ref.rank == 0) return shape::unknown();
  const detail::slice_bounds bounds{{&begin, &end, &strides}, {c.constant(1), c.constant(2), c.constant(3)}};
  const shape slice = detail::plan_strided(c, *this, ref, bounds).slice;
  if (c.failed()) return shape::unknown();
  return detail::fits_slice(value, slice) ? ref
                                          : c.fail(message{"expected a value that broadcasts to the slice's shape ", slice});
}

template <class T, class I>
void strided_slice_assign_op::operator()(cpu ctx, reference<T> ref, index_view<I>, index_view<I>, index_view<I>,
                                         view<const T> value, reference_out<T>) const {
  detail::assign_slice(ctx, ref, *this, value);
}

template <class T, class I>
void resource_strided_slice_assign_op::operator()(cpu ctx, variable_handle<T> v, index_view<I>, index_view<I>, index_view<I>,
                                                  view<const T> value) const {
  detail::assign_slice(ctx, v, *this, value);
}

}  // namespace flowgraph
