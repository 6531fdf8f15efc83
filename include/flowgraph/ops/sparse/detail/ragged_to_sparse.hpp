#pragma once

#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/sparse/detail/ragged_axes.hpp>
#include <flowgraph/ops/sparse/ragged_to_sparse.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Reads and checks `count` lists of splits, which are the first inputs of the call. `values` is the number of values.
ragged_axes read_nested_splits(cpu ctx, std::size_t count, std::int64_t values);
// Writes the place of each element of the values, and the extents.
void write_ragged_places(cpu ctx, const ragged_axes& axes, const shape& values, view<std::int64_t> indices,
                         view<std::int64_t> extents);

}  // namespace detail

template <class T, class I>
void ragged_tensor_to_sparse_op::operator()(cpu ctx, view_list<const I> splits, view<const T> values, view<std::int64_t> indices,
                                            view<T> elements, view<std::int64_t> extents) const {
  const detail::ragged_axes axes = detail::read_nested_splits(ctx, splits.size(), values.dim(0));
  if (ctx.failed()) return;
  detail::write_ragged_places(ctx, axes, values.shape(), indices, extents);
  const auto size = static_cast<std::int64_t>(values.size());
  detail::copy_rows(ctx, detail::layout_of<T>, values.data(), size, elements.data(), size, 1, size);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/ragged_to_sparse.hpp>
#endif
