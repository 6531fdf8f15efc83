#pragma once

#include <flowgraph/ops/array/detail/index_vectors.hpp>
#include <flowgraph/ops/state/detail/variable_access.hpp>
#include <flowgraph/ops/state/scatter_nd.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Checks that updates of that shape fit the slices that the index vectors, input 1, name in a variable.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE bool begin_slices(cpu ctx, const shape& variable, const shape& updates,
                                                         bad_indices_policy policy, slice_list& slices) {
  const any_tensor& indices = ctx.input(1);
  shape_context c;
  scattered_shape(c, variable, indices.shape(), updates);
  if (c.failed()) {
    ctx.fail(
        message{c.message(), "; found indices ", indices.shape(), ", updates ", updates, ", a variable of shape ", variable});
    return false;
  }
  slices = list_slices(variable, indices);
  return check_slices(ctx, slices, variable, policy);
}

template <class F, class Access, class T>
void change_variable_slices(cpu ctx, const Access& v, view<const T> updates, bad_indices_policy policy) {
  slice_list slices;
  if (!is_usable(ctx, v) || !begin_slices(ctx, v.shape(), updates.shape(), policy, slices)) return;
  const view<T> w = v.update();
  if (!ctx.failed()) change_slices<F>(ctx, slices, updates.data(), w.data());
}

}  // namespace detail

// A variable that is declared as a scalar may have an unknown shape, so the kernel checks the shape of its value.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::scattered_variable_shape(shape_context& c, const shape& variable,
                                                                              const shape& indices, const shape& updates) {
  return variable.rank <= 0 ? shape::unknown() : scattered_shape(c, variable, indices, updates);
}

template <class F, class Types, bool UsesLocking>
template <class T, class I>
void detail::reference_scatter_nd<F, Types, UsesLocking>::operator()(cpu ctx, reference<T> ref, index_view<I>,
                                                                     view<const T> updates, reference_out<T>) const {
  change_variable_slices<F>(ctx, ref, updates, bad_indices);
}

template <class F, class Types>
template <class T, class I>
void detail::resource_scatter_nd<F, Types>::operator()(cpu ctx, variable_handle<T> v, index_view<I>,
                                                       view<const T> updates) const {
  change_variable_slices<F>(ctx, v, updates, bad_indices);
}

}  // namespace flowgraph
