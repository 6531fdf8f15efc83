#pragma once

#include <flowgraph/ops/sparse/detail/counts.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_COLD inline shape_list refuse_counts(shape_context& c, const shape& values, const shape& weights,
                                               std::int64_t minlength, std::int64_t maxlength, std::int64_t rank) {
  if (!c.failed() && minlength < -1) c.fail(message{"minlength must be at least -1, found ", minlength});
  if (!c.failed() && maxlength < -1) c.fail(message{"maxlength must be at least -1, found ", maxlength});
  if (!c.failed() && !fits(weights, values) && !(weights.is_known() && weights.size() == 0))
    c.fail(message{"expected weights of the shape of the values, ", values, ", or none, found ", weights});
  return {{any, rank}, {any}, {rank}};
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list dense_count_sparse_output_op::shape(shape_context& c, const flowgraph::shape& values,
                                                                               const flowgraph::shape& weights) const {
  if (values.has_rank() && values.rank != 1 && values.rank != 2)
    c.fail(message{"the values must be a vector or a matrix, found the shape ", values});
  else if (values.rank == 2 && values[0] == 0) c.fail("the matrix must have at least one row");
  return detail::refuse_counts(c, values, weights, minlength, maxlength, values.has_rank() ? values.rank : -1);
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list sparse_count_sparse_output_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                                                const flowgraph::shape& values,
                                                                                const flowgraph::shape& extents,
                                                                                const flowgraph::shape& weights) const {
  const detail::sparse_layout form = detail::check_sparse_layout(c, indices, values, extents);
  if (!c.failed() && form.rank == 0) c.fail("the sparse tensor must have at least one axis");
  return detail::refuse_counts(c, values, weights, minlength, maxlength,
                               form.rank < 0 ? -1 : std::min<std::int64_t>(form.rank, 2));
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape_list ragged_count_sparse_output_op::shape(shape_context& c, const flowgraph::shape&,
                                                                                const flowgraph::shape& values,
                                                                                const flowgraph::shape& weights) const {
  return detail::refuse_counts(c, values, weights, minlength, maxlength, 2);
}

FLOWGRAPH_INLINE std::size_t dense_count_sparse_output_op::scratch(const flowgraph::shape& values,
                                                                   const flowgraph::shape&) const {
  return detail::count_scratch(values);
}
FLOWGRAPH_INLINE std::size_t sparse_count_sparse_output_op::scratch(const flowgraph::shape&, const flowgraph::shape& values,
                                                                    const flowgraph::shape&, const flowgraph::shape&) const {
  return detail::count_scratch(values);
}
FLOWGRAPH_INLINE std::size_t ragged_count_sparse_output_op::scratch(const flowgraph::shape&, const flowgraph::shape& values,
                                                                    const flowgraph::shape&) const {
  return detail::count_scratch(values);
}

FLOWGRAPH_INLINE void detail::place_dense_values(cpu ctx, const shape& values) {
  auto* const rows = ctx.scratch<std::int64_t>();
  const std::int64_t columns = values.rank == 2 ? values[1] : values.size();
  for (std::int64_t i = 0; i < values.size(); ++i) rows[i] = i / columns;
}

FLOWGRAPH_INLINE bool detail::place_sparse_values(cpu ctx, view<const std::int64_t> indices, view<const std::int64_t> extents) {
  constexpr std::int64_t most_rows = std::numeric_limits<std::int32_t>::max();  // as in TensorFlow
  if (extents.size() > 1 && (extents[0] < 1 || extents[0] > most_rows))
    return detail::fail_check(ctx, message{"the number of rows must be in [1, ", most_rows, "], found ", extents[0]});

  const places p(indices);
  if (!check_inside(ctx, indices, p.count, p.rank, extents)) return false;
  auto* const rows = ctx.scratch<std::int64_t>();
  for (std::int64_t i = 0; i < p.count; ++i) rows[i] = p.rank > 1 ? p[i][0] : 0;
  return true;
}

FLOWGRAPH_INLINE bool detail::place_ragged_values(cpu ctx, view<const std::int64_t> splits, std::size_t values) {
  if (!check_counted_splits(ctx, splits, 2, values)) return false;
  auto* const rows = ctx.scratch<std::int64_t>();
  counted_row row{splits};
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(values); ++i) rows[i] = row.of(i);
  return true;
}

FLOWGRAPH_INLINE detail::ordered_values detail::order_values(cpu ctx, const count_call& c) {
  ordered_values v;
  if (!check_not_negative(ctx, c.values)) return v;
  const auto count = static_cast<std::int64_t>(c.values.size());
  const std::int64_t* const rows = v.rows = ctx.scratch<std::int64_t>();
  std::int64_t* const order = ctx.scratch<std::int64_t>() + count;
  v.order = order;
  std::int64_t largest = 0;
  bool is_ordered = true;
  const auto precedes = [&](std::int64_t a, std::int64_t b) {
    if (rows[a] != rows[b]) return rows[a] < rows[b];
    return c.values[a] != c.values[b] ? c.values[a] < c.values[b] : a < b;
  };
  for (std::int64_t i = 0; i < count; ++i) {
    if (c.maxlength >= 0 && c.values[i] >= c.maxlength) continue;
    largest = std::max(largest, c.values[i]);
    is_ordered = is_ordered && (v.kept == 0 || precedes(order[v.kept - 1], i));
    order[v.kept++] = i;
  }
  if (!is_ordered) std::sort(order, order + v.kept, precedes);
  for (std::int64_t k = 0; k < v.kept; ++k)
    v.elements += k == 0 || rows[order[k - 1]] != rows[order[k]] || c.values[order[k - 1]] != c.values[order[k]];
  if (c.maxlength < 0 && largest == std::numeric_limits<std::int64_t>::max())
    ctx.fail(message{"integers to be counted must be less than ", largest, ", found ", largest});
  else v.width = c.maxlength >= 0 ? c.maxlength : std::max(largest + 1, c.minlength);
  return v;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
