#pragma once

#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/ops/kernel/interactions.hpp>
#include <flowgraph/ops/sparse/pair_interactions.hpp>

#include <algorithm>
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/kernel/interaction_loops.hpp>
#endif

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

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

  const T* row(std::int64_t i) const { return rows + i * columns; }
  kernel::sample_rows<T> with(std::int64_t linear) const { return {nullptr, 0, rows, values, count, columns, linear}; }
};

// Calls body(column, width) for blocks of columns. The width is a constant, so that the compiler makes vectors of each block.
template <class F> void for_column_blocks(std::int64_t first, std::int64_t last, F&& body) {
  for (; first + 8 <= last; first += 8) body(first, std::integral_constant<std::size_t, 8>{});
  for (; first + 4 <= last; first += 4) body(first, std::integral_constant<std::size_t, 4>{});
  for (; first < last; ++first) body(first, std::integral_constant<std::size_t, 1>{});
}

// A row of a sample with fields: `linear` columns, and then `factors` columns for each field.
struct field_columns {
  std::int64_t linear, factors;
  std::int64_t of(std::int64_t field) const { return linear + field * factors; }
};

template <class T, class F>
void put_field_interactions(const feature_range<T>& f, const F* fields, const field_columns& at, T* y) {
  for (std::int64_t c = 0; c < at.linear; ++c) {
    T sum = 0;
    for (std::int64_t i = 0; i < f.count; ++i) sum += f.values[i] * f.row(i)[c];
    y[c] = sum;
  }
  T total = 0;
  for_column_blocks(0, at.factors, [&]<std::size_t width>(std::int64_t column, std::integral_constant<std::size_t, width>) {
    T sum[width] = {};
    for (std::int64_t i = 0; i < f.count; ++i)
      for (std::int64_t j = i + 1; j < f.count; ++j) {
        const T* const a = f.row(i) + at.of(fields[j]) + column;
        const T* const b = f.row(j) + at.of(fields[i]) + column;
        const T value = f.values[i] * f.values[j];
        for (std::int64_t l = 0; l < std::int64_t{width}; ++l) sum[l] += value * (a[l] * b[l]);
      }
    for (std::int64_t l = 0; l < std::int64_t{width}; ++l) total += sum[l];
  });
  y[at.linear] = total;
}

template <class T, class F>
void put_field_gradients(const feature_range<T>& f, const F* fields, const field_columns& at, bool weighted, const T* dy,
                         T* drows) {
  std::fill_n(drows, f.count * f.columns, T(0));
  for (std::int64_t i = 0; i < f.count; ++i)
    for (std::int64_t c = 0; c < at.linear; ++c) drows[i * f.columns + c] = weighted ? dy[c] * f.values[i] : dy[c];
  const T slope = dy[at.linear];
  for_column_blocks(0, at.factors, [&]<std::size_t width>(std::int64_t column, std::integral_constant<std::size_t, width>) {
    for (std::int64_t i = 0; i < f.count; ++i)
      for (std::int64_t j = i + 1; j < f.count; ++j) {
        const std::int64_t of_i = at.of(fields[j]) + column, of_j = at.of(fields[i]) + column;
        const T *const a = f.row(i) + of_i, *const b = f.row(j) + of_j;
        T *const to_a = drows + i * f.columns + of_i, *const to_b = drows + j * f.columns + of_j;
        const T x = f.values[i], z = f.values[j];
        const T outer_a = slope * (weighted ? x * z : z), outer_b = slope * (weighted ? x * z : x);
        for (std::int64_t l = 0; l < std::int64_t{width}; ++l) {
          const T left = a[l], right = b[l];
          to_a[l] += outer_a * right;
          to_b[l] += outer_b * left;
        }
      }
  });
}

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
  const detail::field_columns at{linear, (rows.shape()[1] - linear) / num_fields};
  const std::int64_t work = detail::work_of_pairs(rows.shape()[0], splits.dim(0), at.factors);
  fields.visit([&](const auto* field) {
    detail::for_each_sample(ctx, rows, values, splits, work,
                            [&](std::int64_t sample, std::int64_t first, const detail::feature_range<T>& f) {
                              detail::put_field_interactions(f, field + first, at, y.data() + sample * (linear + 1));
                            });
  });
}

template <class T, class F, class I>
void field_pair_interactions_grad_op::operator()(cpu ctx, view<const T> rows, view<const T> values, index_view<F> fields,
                                                 index_view<I> splits, view<const T> dy, view<T> drows) const {
  if (!detail::are_fields_of(ctx, fields, num_fields)) return;
  const std::int64_t columns = rows.shape()[1];
  const detail::field_columns at{linear, (columns - linear) / num_fields};
  const std::int64_t work =
      detail::work_of_pairs(rows.shape()[0], splits.dim(0), at.factors) + static_cast<std::int64_t>(rows.size());
  fields.visit([&](const auto* field) {
    detail::for_each_sample(ctx, rows, values, splits, work,
                            [&](std::int64_t sample, std::int64_t first, const detail::feature_range<T>& f) {
                              detail::put_field_gradients(f, field + first, at, weighted, dy.data() + sample * (linear + 1),
                                                          drows.data() + first * columns);
                            });
  });
}

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/sparse/impl/pair_interactions.hpp>
#endif
