#pragma once

#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/sparse/detail/ragged_axes.hpp>
#include <flowgraph/ops/sparse/ragged_to_dense.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Reads and checks the partitions, which are the inputs from number 3 on. `values` is the number of values.
ragged_axes read_ragged_axes(cpu ctx, const std::vector<std::string>& types, std::int64_t values);
// Returns the shape of the result: extents that are not given are those of the longest rows.
shape ragged_extents(const ragged_axes& axes, any_indices extents, const shape& values);
// Fills y with the default value, and copies the values to their places.
void write_ragged(cpu ctx, element_layout e, const ragged_axes& axes, const shape& values_shape, const void* values,
                  const shape& default_shape, const void* default_value, const shape& y_shape, void* y);

}  // namespace detail

template <class T, class I, class S>
void ragged_tensor_to_tensor_op::operator()(cpu ctx, index_view<S> extents, view<const T> values, view<const T> default_value,
                                            view_list<const I>, unsized<T> y) const {
  const detail::ragged_axes axes = detail::read_ragged_axes(ctx, row_partition_types, values.dim(0));
  if (ctx.failed()) return;
  const view<T> result = y.resize(detail::ragged_extents(axes, extents, values.shape()));
  if (!ctx.failed())
    detail::write_ragged(ctx, detail::layout_of<T>, axes, values.shape(), values.data(), default_value.shape(),
                         default_value.data(), result.shape(), result.data());
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/ragged_to_dense.hpp>
#endif
