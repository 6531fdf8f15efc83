#pragma once

#include <flowgraph/ops/array/detail/index_vectors.hpp>
#include <flowgraph/ops/state/detail/scatter_rows.hpp>
#include <flowgraph/ops/state/scatter_arithmetic.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class F, class Access, class T>
void scatter_combine(cpu ctx, const Access& v, const row_indices& indices, view<const T> updates) {
  if (!is_usable(ctx, v)) return;
  // TensorFlow refuses every zero for variables behind a handle, and has no result for integers.
  if constexpr (std::is_same_v<F, functor::div> && (std::is_integral_v<T> || std::is_same_v<Access, variable_handle<T>>))
    if (std::find(updates.begin(), updates.end(), T{}) != updates.end()) return ctx.fail("division by zero");
  view<T> w;
  if (!begin_scatter(ctx, v, indices, updates, w)) return;
  const bool scalar = updates.rank() == 0;
  for_each_index(ctx, indices, product_of(v.shape(), 1, v.shape().rank), [&](std::int64_t to, std::int64_t from, std::int64_t n) {
    T* row = w.data() + to;
    if (!scalar) return change_row<F>(row, updates.data() + from, n);
    for (std::int64_t i = 0; i < n; ++i) change_row<F>(row + i, updates.data(), 1);
  });
}

}  // namespace detail

template <class F, class Types>
template <class T, class I>
void detail::reference_scatter<F, Types>::operator()(cpu ctx, reference<T> ref, index_view<I> indices, view<const T> updates,
                                                     reference_out<T>) const {
  scatter_combine<F>(ctx, ref, row_indices(indices), updates);
}

template <class F, class Types>
template <class T, class I>
void detail::resource_scatter<F, Types>::operator()(cpu ctx, variable_handle<T> v, index_view<I> indices,
                                                    view<const T> updates) const {
  scatter_combine<F>(ctx, v, row_indices(indices), updates);
}

}  // namespace flowgraph
