#pragma once

#include <flowgraph/ops/shared/detail/segment_rows.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/reduction/sparse_segment.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A term of a gradient: row `from` of dy is added to row `to`.
struct segment_term {
  std::int64_t to, from;
};

// Finds the terms of the sums, for `rows` rows; if -1, the ids determine the number. Returns false after a failure.
bool find_sparse_segments(cpu ctx, segment_terms& terms, const shape& data, std::int64_t rows);
// Finds the terms of a gradient, in the order of their target rows, in scratch memory.
segment_term* find_gradient_terms(cpu ctx, segment_terms& terms, const shape& dy, std::int64_t extent, segment_scale scale);
// Returns the number of target rows.
std::int64_t count_rows(const segment_term* terms, std::int64_t n);

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::sparse_segment_shape(shape_context& c, const shape& data,
                                                                          const shape& indices, const shape& ids,
                                                                          std::int64_t rows) {
  if (data.rank == 0) return c.fail("data must have at least one axis");
  if (!fits(indices, shape{-1})) return c.fail("indices must be a vector");
  if (!fits(ids, shape{-1})) return c.fail("segment_ids must be a vector");
  if (!fits(indices, ids)) return c.fail("indices and segment_ids must have the same size");
  if (!data.has_rank()) return shape::unknown();
  shape result = data;
  result[0] = rows;
  return result;
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::sparse_segment_shape(shape_context& c, const shape& data,
                                                                          const shape& indices, const shape& ids,
                                                                          const shape& count) {
  if (count.rank > 0) return c.fail("num_segments must be a scalar");
  const auto rows = scalar_integer(c, 3, count, "num_segments");
  if (rows && *rows < 0) return c.fail("num_segments must not be negative");
  return c.failed() ? shape::unknown() : sparse_segment_shape(c, data, indices, ids, rows.value_or(-1));
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::sparse_segment_gradient_shape(shape_context& c, const shape& dy,
                                                                                   const shape& indices, const shape& ids,
                                                                                   const shape& extent) {
  if (extent.rank > 0) return c.fail("the extent of the gradient must be a scalar");
  const auto rows = scalar_integer(c, 3, extent, "the extent of the gradient");
  if (rows && *rows < 0) return c.fail("the extent of the gradient must not be negative");
  return c.failed() ? shape::unknown() : sparse_segment_shape(c, dy, indices, ids, rows.value_or(-1));
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t detail::sparse_segment_gradient_scratch(const shape& dy,
                                                                                           const shape& indices) {
  return static_cast<std::size_t>(indices.size()) * sizeof(segment_term) +
         static_cast<std::size_t>(dy.rank > 0 ? dy[0] : 0) * sizeof(double);
}

FLOWGRAPH_KERNEL_INLINE bool detail::find_sparse_segments(cpu ctx, segment_terms& terms, const shape& data, std::int64_t rows) {
  const std::int64_t named = count_segments(ctx, terms.to);
  if (named < 0 || !check_range(ctx, terms.from, data[0], "indices")) return false;
  if (rows >= 0 && named > rows)
    return detail::fail_check(ctx, message{"segment_ids must be below num_segments, ", rows, ", found ", named - 1});

  terms.rows = rows < 0 ? named : rows;
  terms.width = product_of(data, 1, data.rank);
  return true;
}

FLOWGRAPH_KERNEL_INLINE detail::segment_term* detail::find_gradient_terms(cpu ctx, segment_terms& terms, const shape& dy,
                                                                          std::int64_t extent, segment_scale scale) {
  if (!check_range(ctx, terms.from, dy[0], "segment_ids") || !check_range(ctx, terms.to, extent, "indices")) return nullptr;
  const std::int64_t n = terms.to.size;
  terms.rows = extent;
  terms.width = product_of(dy, 1, dy.rank);
  segment_term* const list = ctx.scratch<segment_term>();
  if (n == 0) return list;
  for (std::int64_t i = 0; i < n; ++i) list[i] = {terms.to[i], terms.from[i]};
  if (scale != segment_scale::none) {
    auto* const weights = reinterpret_cast<double*>(list + n);
    std::fill_n(weights, dy[0], 0.);
    for (std::int64_t i = 0; i < n; ++i) weights[list[i].from] += 1;
    for (std::int64_t i = 0; i < dy[0]; ++i)
      if (weights[i] > 0) weights[i] = 1 / (scale == segment_scale::count ? weights[i] : std::sqrt(weights[i]));
    terms.weights = weights;
  }
  std::sort(list, list + n,
            [](const segment_term& a, const segment_term& b) { return a.to != b.to ? a.to < b.to : a.from < b.from; });
  terms.to = index_list(&list->to, n, 2);
  terms.from = index_list(&list->from, n, 2);
  return list;
}

FLOWGRAPH_KERNEL_INLINE std::int64_t detail::count_rows(const segment_term* terms, std::int64_t n) {
  std::int64_t rows = n > 0 ? 1 : 0;
  for (std::int64_t i = 1; i < n; ++i) rows += terms[i].to != terms[i - 1].to;
  return rows;
}

template <class Op>
template <class T, class I, class S>
void sparse_segment_reduction<Op>::operator()(cpu ctx, view<const T> data, index_view<I> indices, index_view<S> ids,
                                              unsized<T> y) const {
  detail::segment_terms terms{detail::index_list(ids), detail::index_list(indices)};
  if (!detail::find_sparse_segments(ctx, terms, data.shape(), -1)) return;
  flowgraph::shape result = data.shape();
  result[0] = terms.rows;
  const view<T> sums = y.resize(result);
  if (!ctx.failed()) detail::reduce_segments<detail::added_terms>(ctx, terms, data.data(), sums.data(), T(0), Op::scale);
}

template <class Op>
template <class T, class I, class S, class N>
void counted_sparse_segment_reduction<Op>::operator()(cpu ctx, view<const T> data, index_view<I> indices, index_view<S> ids,
                                                      index_view<N>, view<T> y) const {
  detail::segment_terms terms{detail::index_list(ids), detail::index_list(indices)};
  if (!detail::find_sparse_segments(ctx, terms, data.shape(), y.dim(0))) return;
  detail::reduce_segments<detail::added_terms>(ctx, terms, data.data(), y.data(), T(0), Op::scale);
}

template <class Op>
template <class T, class I, class S>
void sparse_segment_gradient<Op>::operator()(cpu ctx, view<const T> dy, index_view<I> indices, index_view<S> ids,
                                             view<const std::int32_t>, view<T> dx) const {
  if (dx.dim(0) == 0) return;  // as in TensorFlow, for any indices
  detail::segment_terms terms{detail::index_list(indices), detail::index_list(ids)};
  detail::find_gradient_terms(ctx, terms, dy.shape(), dx.dim(0), Op::scale);
  if (!ctx.failed()) detail::reduce_segments<detail::added_terms>(ctx, terms, dy.data(), dx.data(), T(0));
}

template <class Op>
template <class T, class I, class S>
void sliced_sparse_segment_gradient<Op>::operator()(cpu ctx, view<const T> dy, view<const I> indices, index_view<S> ids,
                                                    view<const std::int32_t> extent, unsized<T> values, unsized<I> rows) const {
  detail::segment_terms terms{detail::index_list(indices), detail::index_list(ids)};
  detail::segment_term* const list = detail::find_gradient_terms(ctx, terms, dy.shape(), extent.scalar(), Op::scale);
  if (ctx.failed()) return;
  const std::int64_t n = terms.to.size;
  flowgraph::shape result = dy.shape();
  result[0] = terms.rows = detail::count_rows(list, n);
  const view<T> sums = values.resize(result);
  const view<I> named = rows.resize(flowgraph::shape{terms.rows});
  if (ctx.failed()) return;
  // Rows of the gradient become rows of the slices.
  std::int64_t row = -1, last = -1;
  for (std::int64_t i = 0; i < n; ++i) {
    if (list[i].to != last) named[static_cast<std::size_t>(++row)] = static_cast<I>(last = list[i].to);
    list[i].to = row;
  }
  detail::reduce_segments<detail::added_terms>(ctx, terms, dy.data(), sums.data(), T(0));
}

}  // namespace flowgraph
