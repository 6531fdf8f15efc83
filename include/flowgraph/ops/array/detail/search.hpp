#pragma once

#include <flowgraph/ops/array/search.hpp>
#include <flowgraph/ops/shared/detail/integers.hpp>
#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/number.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/array/detail/unique_table.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class T> bool is_less(const T& a, const T& b) {
  if constexpr (is_half<T>) return static_cast<float>(a) < static_cast<float>(b);
  else return a < b;
}

// Finds the places of values in sorted rows. The values of a row are searched in the row with the same number.
template <class T>
[[gnu::noinline]] void find_bounds(cpu ctx, view<const T> sorted, view<const T> values, bool upper, index_output y) {
  const std::int64_t length = sorted.dim(1), count = values.dim(1);
  ctx.parallel_ranges(static_cast<std::int64_t>(values.size()), 1 << 11, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const T *const begin = sorted.data() + i / count * length, *const end = begin + length;
      const T& value = values[static_cast<std::size_t>(i)];
      const T* const at =
          upper ? std::upper_bound(begin, end, value, is_less<T>) : std::lower_bound(begin, end, value, is_less<T>);
      y.set(i, at - begin);
    }
  });
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape bound_shape(shape_context& c, const shape& sorted, const shape& values) {
  if ((sorted.has_rank() && sorted.rank != 2) || (values.has_rank() && values.rank != 2))
    return c.fail("sorted_inputs and values must be matrices");
  if (sorted.has_rank() && values.has_rank() && sorted[0] >= 0 && values[0] >= 0 && sorted[0] != values[0])
    return c.fail("sorted_inputs and values must have the same number of rows");
  shape result = values.has_rank() ? values : shape{any, any};
  if (result[0] < 0 && sorted.has_rank()) result[0] = sorted[0];
  return result;
}

// Finds the elements of x that y does not have. Returns their number, and writes their places to `kept`.
template <class T> [[gnu::noinline]] std::int64_t find_others(cpu ctx, view<const T> x, view<const T> y, std::int64_t*& kept) {
  const sliced<T> all{x.data(), 1, static_cast<std::int64_t>(x.size()), 1},
      left_out{y.data(), 1, static_cast<std::int64_t>(y.size()), 1};
  slice_table table(ctx.scratch<std::int64_t>(), unique_places(y.size()));
  kept = ctx.scratch<std::int64_t>() + slice_table::memory(left_out.count) / sizeof(std::int64_t);
  for (std::int64_t i = 0; i < left_out.count; ++i) table.insert(left_out, i);
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < all.count; ++i)
    if (table.find(left_out, all, i) < 0) kept[found++] = i;
  return found;
}

}  // namespace detail

template <class T, class I>
void lower_bound_op::operator()(cpu ctx, view<const T> sorted, view<const T> values, view<I> y) const {
  detail::find_bounds(ctx, sorted, values, false, detail::index_output(y));
}
template <class T, class I>
void upper_bound_op::operator()(cpu ctx, view<const T> sorted, view<const T> values, view<I> y) const {
  detail::find_bounds(ctx, sorted, values, true, detail::index_output(y));
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape bucketize_op::shape(shape_context& c, const flowgraph::shape& x) const {
  return std::is_sorted(boundaries.begin(), boundaries.end()) ? x : c.fail("the boundaries must be sorted");
}
template <class T> void bucketize_op::operator()(cpu ctx, view<const T> x, view<std::int32_t> y) const {
  using compared = std::conditional_t<std::is_same_v<T, double>, double, float>;
  ctx.parallel_ranges(static_cast<std::int64_t>(x.size()), 1 << 12, [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i) {
      const auto at = std::upper_bound(boundaries.begin(), boundaries.end(), static_cast<compared>(x[i]),
                                       [](compared value, float boundary) { return value < static_cast<compared>(boundary); });
      y[i] = static_cast<std::int32_t>(at - boundaries.begin());
    }
  });
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape unravel_index_op::shape(shape_context& c, const flowgraph::shape& indices,
                                                                     const flowgraph::shape& dims) const {
  using flowgraph::shape;
  if (dims.has_rank() && dims.rank != 1) return c.fail("dims must be a vector");
  if (indices.rank > 1) return c.fail("indices must be a scalar or a vector");
  if (indices.rank == 1 && indices[0] == 0) return c.fail("indices must not be empty");
  if (!indices.has_rank()) return indices;
  const std::int64_t axes = dims.has_rank() ? dims[0] : -1;
  return indices.rank == 0 ? shape{axes} : shape{axes, indices[0]};
}
template <class I> void unravel_index_op::operator()(cpu ctx, view<const I> indices, view<const I> dims, view<I> y) const {
  std::int64_t size = 1;
  for (std::size_t k = 0; k < dims.size(); ++k) {
    if (dims[k] < 1) return ctx.fail(message{"dims[", k, "] must be positive, found ", dims[k]});
    if (size > std::numeric_limits<std::int64_t>::max() / dims[k]) return ctx.fail("the product of dims must fit into 64 bits");
    size *= dims[k];
  }
  for (std::size_t i = 0; i < indices.size(); ++i)
    if (indices[i] >= size) return ctx.fail(message{"indices[", i, "] must be less than ", size, ", found ", indices[i]});
  for (std::size_t k = 0; k < dims.size(); ++k) {
    const std::int64_t outer = size;
    size /= dims[k];
    for (std::size_t i = 0; i < indices.size(); ++i) y[k * indices.size() + i] = static_cast<I>(indices[i] % outer / size);
  }
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list list_diff_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                      const flowgraph::shape& y) const {
  if ((x.has_rank() && x.rank != 1) || (y.has_rank() && y.rank != 1)) c.fail("expected two vectors");
  return {{any}, {any}};
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t list_diff_op::scratch(const flowgraph::shape& x,
                                                                         const flowgraph::shape& y) const {
  return detail::slice_table::memory(y.size()) + static_cast<std::size_t>(x.size()) * sizeof(std::int64_t);
}
template <class T, class I>
void list_diff_op::operator()(cpu ctx, view<const T> x, view<const T> y, unsized<T> values, unsized<I> index) const {
  std::int64_t* kept = nullptr;
  const std::int64_t found = detail::find_others(ctx, x, y, kept);
  const view<T> result = values.resize({found});
  if (ctx.failed()) return;
  const view<I> places = index.resize({found});
  if (ctx.failed()) return;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = x[static_cast<std::size_t>(kept[i])];
    places[i] = static_cast<I>(kept[i]);
  }
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
