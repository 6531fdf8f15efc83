#pragma once

#include <flowgraph/ops/shared/detail/wide.hpp>
#include <flowgraph/ops/sparse/detail/places.hpp>
#include <flowgraph/ops/sparse/reduce.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The elements of a sparse tensor in groups: those of a group differ only along the reduced axes.
struct index_groups {
  places all;
  const std::int64_t* order;       // the elements, group by group
  const std::uint8_t* is_reduced;  // for each axis

  std::int64_t end_of(std::int64_t first) const;
  std::int64_t count() const;
  std::int64_t kept_axes() const;
};
// Checks the extents, the axes and all places, and orders the elements in scratch memory. If the result is dense, an
// index out of range along a kept axis is an internal error, as in TensorFlow.
index_groups group_places(cpu ctx, view<const std::int64_t> indices, view<const std::int64_t> extents,
                          view<const std::int32_t> axes, bool is_dense);
// Returns the place of a group in the dense result.
std::int64_t place_of_group(const index_groups& g, std::int64_t first, view<const std::int64_t> extents);
// Writes the places of all groups, and the extents of the result.
void write_groups(const index_groups& g, view<const std::int64_t> extents, bool keep_dims, view<std::int64_t> new_indices,
                  view<std::int64_t> new_extents);

template <class Op, class T> T reduce_group(const index_groups& g, view<const T> values, std::int64_t first, std::int64_t end) {
  const auto value = [&](std::int64_t i) { return values[static_cast<std::size_t>(g.order[i])]; };
  if constexpr (Op::takes_largest) {
    T largest = value(first);
    for (std::int64_t i = first + 1; i < end; ++i)
      if (!is_larger(largest, value(i))) largest = value(i);  // NaN stays until a number follows it, as in TensorFlow
    return largest;
  } else {
    wide<T> sum = widened(value(first));
    for (std::int64_t i = first + 1; i < end; ++i) sum = static_cast<wide<T>>(sum + widened(value(i)));
    return narrowed<T>(sum);
  }
}

}  // namespace detail

template <class Op>
template <class T>
void sparse_reduction<Op>::operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values,
                                      view<const std::int64_t> extents, view<const std::int32_t> axes, view<T> y) const {
  const detail::index_groups g = detail::group_places(ctx, indices, extents, axes, true);
  if (ctx.failed()) return;
  std::fill(y.begin(), y.end(), T());
  for (std::int64_t first = 0; first < g.all.count;) {
    const std::int64_t end = g.end_of(first);
    y[static_cast<std::size_t>(detail::place_of_group(g, first, extents))] = detail::reduce_group<Op>(g, values, first, end);
    first = end;
  }
}

template <class Op>
template <class T>
void sparse_reduction_to_sparse<Op>::operator()(cpu ctx, view<const std::int64_t> indices, view<const T> values,
                                                view<const std::int64_t> extents, view<const std::int32_t> axes,
                                                unsized<std::int64_t> new_indices, unsized<T> new_values,
                                                unsized<std::int64_t> new_extents) const {
  const detail::index_groups g = detail::group_places(ctx, indices, extents, axes, false);
  if (ctx.failed()) return;
  const std::int64_t count = g.count(), rank = keep_dims ? g.all.rank : g.kept_axes();
  const view<std::int64_t> made_indices = new_indices.resize({count, rank});
  const view<T> made_values = new_values.resize({count});
  const view<std::int64_t> made_extents = new_extents.resize({rank});
  if (ctx.failed()) return;
  detail::write_groups(g, extents, keep_dims, made_indices, made_extents);
  for (std::int64_t first = 0, group = 0; first < g.all.count; ++group) {
    const std::int64_t end = g.end_of(first);
    made_values[static_cast<std::size_t>(group)] = detail::reduce_group<Op>(g, values, first, end);
    first = end;
  }
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/reduce.hpp>
#endif
