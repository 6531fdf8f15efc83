#pragma once

#include <flowgraph/ops/shared/detail/wide.hpp>
#include <flowgraph/ops/sparse/bincount.hpp>
#include <flowgraph/ops/sparse/detail/counted_values.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Adds up the values, or their weights, in the order of the values. `row_of` returns the row of a value.
template <class I, class T, class Row>
void count_in_rows(cpu ctx, view<const I> values, view<const T> weights, bool only_whether, view<T> y, Row row_of) {
  if (!check_not_negative(ctx, values)) return;
  if (weights.size() > 0 && weights.size() < values.size())
    return ctx.fail(message{"expected a weight for each of ", values.size(), " values or none, found ", weights.size()});
  const std::int64_t bins = y.dim(y.rank() - 1);
  std::fill(y.begin(), y.end(), T(0));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t row = row_of(static_cast<std::int64_t>(i));
    if (values[i] >= bins) continue;
    T& bin = y.data()[row * bins + static_cast<std::int64_t>(values[i])];
    bin = only_whether ? T(1) : narrowed<T>(widened(bin) + widened(weights.size() > 0 ? weights[i] : T(1)));
  }
}

// Fails and returns false if an index of the sparse tensor is outside of its extent.
bool check_counted_places(cpu ctx, view<const std::int64_t> indices, view<const std::int64_t> extents);

}  // namespace detail

template <class I, class T>
void ragged_bincount_op::operator()(cpu ctx, view<const std::int64_t> splits, view<const I> values, view<const I>,
                                    view<const T> weights, view<T> y) const {
  if (!detail::check_counted_splits(ctx, splits, 1, values.size())) return;
  detail::counted_row rows{splits};
  detail::count_in_rows(ctx, values, weights, binary_output, y, [&rows](std::int64_t i) { return rows.of(i); });
}

template <class I, class T>
void sparse_bincount_op::operator()(cpu ctx, view<const std::int64_t> indices, view<const I> values,
                                    view<const std::int64_t> extents, view<const I>, view<const T> weights, view<T> y) const {
  if (!detail::check_counted_places(ctx, indices, extents)) return;
  const std::int64_t rank = indices.dim(1);
  detail::count_in_rows(ctx, values, weights, binary_output, y,
                        [&](std::int64_t i) { return rank == 1 ? 0 : indices.data()[i * rank]; });
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/bincount.hpp>
#endif
