#pragma once

#include <flowgraph/ops/shared/detail/wide.hpp>
#include <flowgraph/ops/sparse/counts.hpp>
#include <flowgraph/ops/sparse/detail/counted_values.hpp>
#include <flowgraph/ops/sparse/detail/places.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A call that counts. Scratch memory contains the row of each value, then the order of the values by row and value.
struct count_call {
  any_indices values;
  std::int64_t rows;  // negative: the values are one row, and the result is a vector
  bool binary_output;
  std::int64_t minlength, maxlength;
};
// The values in their order: the numbers of the `kept` values that are not ignored, and the number of elements of the result.
struct ordered_values {
  const std::int64_t* rows = nullptr;
  const std::int64_t* order = nullptr;
  std::int64_t kept = 0, elements = 0;
  std::int64_t width = 0;  // the last extent of the result
};
constexpr std::size_t count_scratch(const shape& values) {
  return static_cast<std::size_t>(values.size()) * 2 * sizeof(std::int64_t);
}

// Puts the values in order, from the rows in scratch memory. Marks the context as failed if a value cannot be counted.
ordered_values order_values(cpu ctx, const count_call& c);
// Fill the rows in scratch memory. Fail and return false if the inputs are wrong.
void place_dense_values(cpu ctx, const shape& values);
bool place_sparse_values(cpu ctx, view<const std::int64_t> indices, view<const std::int64_t> extents);
bool place_ragged_values(cpu ctx, view<const std::int64_t> splits, std::size_t values);

// Weights are added in the order of the values.
template <class T>
void write_counts(cpu ctx, const count_call& c, view<const T> weights, unsized<std::int64_t> indices, unsized<T> counts,
                  view<std::int64_t> extents) {
  const ordered_values v = order_values(ctx, c);
  if (ctx.failed()) return;
  const bool by_rows = c.rows >= 0;
  const view<std::int64_t> to = indices.resize({v.elements, by_rows ? 2 : 1});
  const view<T> sums = counts.resize({v.elements});
  if (ctx.failed()) return;
  if (by_rows) extents[0] = c.rows;
  extents[by_rows ? 1 : 0] = v.width;
  std::int64_t* place = to.data();
  T* sum = sums.data() - 1;
  for (std::int64_t k = 0; k < v.kept; ++k) {
    const std::int64_t i = v.order[k], before = k > 0 ? v.order[k - 1] : -1;
    if (before < 0 || v.rows[before] != v.rows[i] || c.values[before] != c.values[i]) {
      if (by_rows) *place++ = v.rows[i];
      *place++ = c.values[i];
      *++sum = T(0);
    }
    const T weight = weights.size() > 0 ? weights[static_cast<std::size_t>(i)] : T(1);
    *sum = c.binary_output ? T(1) : narrowed<T>(widened(*sum) + widened(weight));
  }
}

}  // namespace detail

template <class I, class T>
void dense_count_sparse_output_op::operator()(cpu ctx, view<const I> values, view<const T> weights, unsized<std::int64_t> indices,
                                              unsized<T> counts, view<std::int64_t> extents) const {
  detail::place_dense_values(ctx, values.shape());
  const std::int64_t rows = values.rank() == 2 ? values.dim(0) : -1;
  detail::write_counts(ctx, {values, rows, binary_output, minlength, maxlength}, weights, indices, counts, extents);
}

template <class I, class T>
void sparse_count_sparse_output_op::operator()(cpu ctx, view<const std::int64_t> indices, view<const I> values,
                                               view<const std::int64_t> extents, view<const T> weights,
                                               unsized<std::int64_t> new_indices, unsized<T> counts,
                                               view<std::int64_t> new_extents) const {
  if (!detail::place_sparse_values(ctx, indices, extents)) return;
  const std::int64_t rows = extents.size() > 1 ? extents[0] : -1;
  detail::write_counts(ctx, {values, rows, binary_output, minlength, maxlength}, weights, new_indices, counts, new_extents);
}

template <class I, class T>
void ragged_count_sparse_output_op::operator()(cpu ctx, view<const std::int64_t> splits, view<const I> values,
                                               view<const T> weights, unsized<std::int64_t> indices, unsized<T> counts,
                                               view<std::int64_t> extents) const {
  if (!detail::place_ragged_values(ctx, splits, values.size())) return;
  const auto rows = static_cast<std::int64_t>(splits.size()) - 1;
  detail::write_counts(ctx, {values, rows, binary_output, minlength, maxlength}, weights, indices, counts, extents);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/counts.hpp>
#endif
