#pragma once

#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/shared/detail/wide.hpp>
#include <flowgraph/ops/math/histogram.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the extent that input `i` contains; -1 if it is not known.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::int64_t bin_extent(shape_context& c, std::size_t i, const shape& found,
                                                               std::string_view what, std::int64_t least) {
  if (found.rank > 0) return c.fail(message{what, " must be a scalar"}), -1;
  const auto value = scalar_integer(c, i, found, what);
  if (value && *value < least) return c.fail(message{what, " must be at least ", least, ", found ", *value}), -1;
  return value.value_or(-1);
}

// Rows of integers of either width.
struct counted_rows {
  const void* integers;
  bool is_wide;
  std::int64_t rows, columns, bins;

  std::int64_t operator[](std::int64_t i) const {
    return is_wide ? static_cast<const std::int64_t*>(integers)[i] : static_cast<const std::int32_t*>(integers)[i];
  }
};

FLOWGRAPH_KERNEL_INLINE bool check_counted(cpu ctx, const counted_rows& x) {
  for (std::int64_t i = 0; i < x.rows * x.columns; ++i) {
    if (x[i] >= 0) continue;
    return fail_check(ctx, message{"integers to be counted must not be negative, found ", x[i]});
  }
  return true;
}

// Counts rows in parallel; within a row, weights are added in their order.
template <class T> void count_rows(cpu ctx, const counted_rows& x, const T* weights, bool only_whether, T* y) {
  if (!check_counted(ctx, x)) return;
  const std::int64_t grain = std::max<std::int64_t>(1, (1 << 14) / std::max<std::int64_t>(1, x.columns + x.bins));
  ctx.parallel_ranges(x.rows, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row) {
      T* to = y + row * x.bins;
      std::fill_n(to, x.bins, T(0));
      for (std::int64_t i = row * x.columns; i < (row + 1) * x.columns; ++i) {
        if (x[i] >= x.bins) continue;
        T& bin = to[x[i]];
        bin = only_whether ? T(1) : narrowed<T>(widened(bin) + widened(weights ? weights[i] : T(1)));
      }
    }
  });
}

// Returns the distance from low up to x; integers do not overflow.
template <class T> double distance(T x, T low) {
  if constexpr (std::is_integral_v<T>) return static_cast<double>(widened(x) - widened(low));
  else return static_cast<double>(x - low);
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape bincount_op::shape(shape_context& c, const flowgraph::shape& arr,
                                                                const flowgraph::shape& size,
                                                                const flowgraph::shape& weights) const {
  const std::int64_t bins = detail::bin_extent(c, 1, size, "size", 0);
  if (arr.is_known() && weights.is_known() && weights.size() != 0 && weights.size() != arr.size())
    return c.fail(message{"expected a weight for each of ", arr.size(), " integers or none, found ", weights.size()});
  return flowgraph::shape{bins};
}

template <class T>
void bincount_op::operator()(cpu ctx, view<const std::int32_t> arr, view<const std::int32_t>, view<const T> weights,
                             view<T> bins) const {
  const detail::counted_rows x{arr.data(), false, 1, static_cast<std::int64_t>(arr.size()), bins.dim(0)};
  detail::count_rows(ctx, x, weights.size() > 0 ? weights.data() : nullptr, false, bins.data());
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape dense_bincount_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                      const flowgraph::shape& size,
                                                                      const flowgraph::shape& weights) const {
  using flowgraph::shape;
  const std::int64_t bins = detail::bin_extent(c, 1, size, "size", 0);
  if (x.rank > 2) return c.fail("expected a vector or a matrix");
  const bool no_weights = weights.is_known() && weights.size() == 0;
  if (!no_weights && weights.is_known() && !fits(weights, x))
    return c.fail("expected weights of the shape of the integers, or none");
  if (!x.has_rank()) return shape::unknown();
  return x.rank == 2 ? shape{x[0], bins} : shape{bins};
}

template <class I, class T>
void dense_bincount_op::operator()(cpu ctx, view<const I> x, view<const I>, view<const T> weights, view<T> y) const {
  const bool matrix = x.rank() == 2;
  const std::int64_t rows = matrix ? x.dim(0) : 1, columns = matrix ? x.dim(1) : static_cast<std::int64_t>(x.size());
  const detail::counted_rows counted{x.data(), sizeof(I) == 8, rows, columns, y.dim(y.rank() - 1)};
  detail::count_rows(ctx, counted, weights.size() > 0 ? weights.data() : nullptr, binary_output, y.data());
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape histogram_fixed_width_op::shape(shape_context& c, const flowgraph::shape&,
                                                                             const flowgraph::shape& range,
                                                                             const flowgraph::shape& bins) const {
  if (!fits(range, flowgraph::shape{2})) return c.fail("value_range must be a vector of 2 elements");
  return flowgraph::shape{detail::bin_extent(c, 2, bins, "nbins", 1)};
}

template <class T, class N>
void histogram_fixed_width_op::operator()(cpu ctx, view<const T> values, view<const T> range, view<const std::int32_t>,
                                          view<N> y) const {
  const T low = range[0], high = range[1];
  if (!(low < high)) return ctx.fail("value_range must hold the lower bound, then the upper bound");
  std::fill(y.begin(), y.end(), N{0});
  const auto last = static_cast<double>(y.size() - 1);
  const double width = detail::distance(high, low) / static_cast<double>(y.size());
  for (const T x : values) {
    if (x != x) return ctx.fail("values must not be NaN");
    const double place = x > low ? detail::distance(x, low) / width : 0;
    ++y[place >= last ? y.size() - 1 : place > 0 ? static_cast<std::size_t>(place) : 0];
  }
}

}  // namespace flowgraph
