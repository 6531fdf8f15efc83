#pragma once

#include <flowgraph/ops/array/detail/index_vectors.hpp>
#include <flowgraph/ops/state/detail/variable_access.hpp>
#include <flowgraph/ops/state/resource_read.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the value of the variable that the handle, input 0, names. If there is none, fails and returns no value.
FLOWGRAPH_KERNEL_INLINE any_tensor held_value(cpu ctx, view<const resource> handle, error_code code) {
  variable_state* v = handle.size() == 1 ? handle.scalar().as<variable_state>() : nullptr;
  any_tensor value;
  if (v) value = ctx.read(*v);
  if (!v) ctx.fail(error_code::failed_precondition, "input 0 does not name a variable");
  else if (!value.has_value()) fail_uninitialized(ctx, 0, code);
  return value;
}

}  // namespace detail

template <class T> void variable_shape_op::operator()(cpu ctx, view<const resource> handle, unsized<T> y) const {
  const any_tensor value = detail::held_value(ctx, handle, error_code::not_found);
  if (ctx.failed()) return;
  const view<T> extents = y.resize(flowgraph::shape{value.shape().rank});
  for (std::size_t i = 0; i < extents.size(); ++i) extents[i] = static_cast<T>(value.shape().dims[i]);
}

namespace detail {

// Gathers the slices that the index vectors, input 1, name.
template <class T> void gather_variable_slices(cpu ctx, view<const resource> handle, const shape& indices, unsized<T> y) {
  if (!variable_of_handle(ctx, handle, dtype_of<T>)) return;
  const any_tensor value = held_value(ctx, handle, error_code::not_found);
  if (ctx.failed()) return;
  shape_context c;
  const shape result = gathered_shape(c, value.shape(), indices);
  if (c.failed()) return ctx.fail(message{c.message(), "; found indices ", indices, ", a variable of shape ", value.shape()});
  const view<T> slices = y.resize(result);
  if (!ctx.failed()) gather_slices(ctx, layout_of<T>, value, ctx.input(1), bad_indices_policy::error, slices.data());
}

}  // namespace detail

template <class T, class I>
void resource_gather_nd_op::operator()(cpu ctx, view<const resource> handle, index_view<I> indices, unsized<T> y) const {
  detail::gather_variable_slices(ctx, handle, indices.shape(), y);
}

}  // namespace flowgraph
