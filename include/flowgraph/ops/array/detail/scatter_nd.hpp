#pragma once

#include <flowgraph/ops/array/scatter_nd.hpp>
#include <flowgraph/ops/array/detail/index_vectors.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class F, class Types>
template <class T, class I>
void detail::tensor_scatter<F, Types>::operator()(cpu ctx, view<const T> x, index_view<I>, view<const T> updates,
                                                  view<T> y) const {
  const slice_list slices = list_slices(x.shape(), ctx.input(1));
  if (!check_slices(ctx, slices, x.shape(), bad_indices)) return;
  const auto size = static_cast<std::int64_t>(y.size());
  copy_rows(ctx, layout_of<T>, x.data(), size, y.data(), size, 1, size);
  change_slices<F>(ctx, slices, updates.data(), y.data());
}

}  // namespace flowgraph
