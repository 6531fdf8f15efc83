#pragma once

#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/ops/kernel/interactions.hpp>
#include <flowgraph/ops/sparse/pair_interactions.hpp>

#include <algorithm>
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/kernel/interaction_loops.hpp>
#endif

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Checks that the splits begin with 0, do not decrease, and end with the number of features.
bool are_splits_of(cpu ctx, const any_indices& splits, std::int64_t features);
// Checks that each field is in [0, count).
bool are_fields_of(cpu ctx, const any_indices& fields, std::int64_t count);
// Returns the number of samples of a block.
std::int64_t samples_per_block(std::int64_t samples, std::int64_t work);

// Features of one sample.
template <class T> struct feature_range {
  const T* rows;
  const T* values;
  std::int64_t count, columns;

  kernel::sample_rows<T> with(std::int64_t linear) const { return {nullptr, 0, rows, values, count, columns, linear}; }
};

// Calls body(sample, first feature, features of the sample) for each sample.
template <class T, class Body>
void for_each_sample(cpu ctx, view<const T> rows, view<const T> values, const any_indices& splits, std::int64_t work,
                     Body&& body) {
  const std::int64_t features = rows.shape()[0], columns = rows.shape()[1];
  if (!are_splits_of(ctx, splits, features)) return;
  const std::int64_t samples = splits.dim(0) - 1;
  ctx.parallel_ranges(samples, samples_per_block(samples, work), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t begin = splits[i];
      body(i, begin, feature_range<T>{rows.data() + begin * columns, values.data() + begin, splits[i + 1] - begin, columns});
    }
  });
}

// Returns the work of pairs: each of `features` features with all others of an average sample.
inline std::int64_t work_of_pairs(std::int64_t features, std::int64_t samples, std::int64_t factors) {
  return features * factors * (1 + features / (1 + samples));
}

}  // namespace detail

template <class T, class I>
void pair_interactions_op::operator()(cpu ctx, view<const T> rows, view<const T> values, index_view<I> splits, view<T> y) const {
  const std::int64_t columns = rows.shape()[1];
  auto* const put = kernel::dispatch([]<class L>(L) { return &kernel::interaction_kernels<L>::template interactions<T>; });
  detail::for_each_sample(ctx, rows, values, splits, static_cast<std::int64_t>(rows.size()),
                          [&](std::int64_t sample, std::int64_t, const detail::feature_range<T>& f) {
                            put(f.with(linear), y.data() + sample * columns, nullptr);
                          });
}

template <class T, class I>
void pair_interactions_grad_op::operator()(cpu ctx, view<const T> rows, view<const T> values, index_view<I> splits,
                                           view<const T> dy, view<T> drows) const {
  const std::int64_t columns = rows.shape()[1];
  auto* const put = kernel::dispatch([]<class L>(L) { return &kernel::interaction_kernels<L>::template slopes<T>; });
  detail::for_each_sample(ctx, rows, values, splits, static_cast<std::int64_t>(rows.size()),
                          [&](std::int64_t sample, std::int64_t first, const detail::feature_range<T>& f) {
                            put(f.with(linear), weighted, dy.data() + sample * columns, nullptr, drows.data() + first * columns);
                          });
}

template <class T, class F, class I>
void field_pair_interactions_op::operator()(cpu ctx, view<const T> rows, view<const T> values, index_view<F> fields,
                                            index_view<I> splits, view<T> y) const {
  if (!detail::are_fields_of(ctx, fields, num_fields)) return;
  const std::int64_t factors = (rows.shape()[1] - linear) / num_fields;
  const std::int64_t work = detail::work_of_pairs(rows.shape()[0], splits.dim(0), factors);
  fields.visit([&]<class N>(const N* field) {
    auto* const put =
        kernel::dispatch([]<class L>(L) { return &kernel::interaction_kernels<L>::template field_interactions<T, N>; },
                         kernel::level_of_rows(factors));
    detail::for_each_sample(ctx, rows, values, splits, work,
                            [&](std::int64_t sample, std::int64_t first, const detail::feature_range<T>& f) {
                              put(f.with(linear), field + first, factors, y.data() + sample * (linear + 1), nullptr);
                            });
  });
}

template <class T, class F, class I>
void field_pair_interactions_grad_op::operator()(cpu ctx, view<const T> rows, view<const T> values, index_view<F> fields,
                                                 index_view<I> splits, view<const T> dy, view<T> drows) const {
  if (!detail::are_fields_of(ctx, fields, num_fields)) return;
  const std::int64_t columns = rows.shape()[1];
  const std::int64_t factors = (columns - linear) / num_fields;
  const std::int64_t work =
      detail::work_of_pairs(rows.shape()[0], splits.dim(0), factors) + static_cast<std::int64_t>(rows.size());
  fields.visit([&]<class N>(const N* field) {
    auto* const put = kernel::dispatch([]<class L>(L) { return &kernel::interaction_kernels<L>::template field_slopes<T, N>; },
                                       kernel::level_of_rows(factors));
    detail::for_each_sample(ctx, rows, values, splits, work,
                            [&](std::int64_t sample, std::int64_t first, const detail::feature_range<T>& f) {
                              put(f.with(linear), field + first, factors, weighted, dy.data() + sample * (linear + 1), nullptr,
                                  drows.data() + first * columns);
                            });
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/pair_interactions.hpp>
#endif
