#pragma once

#include <flowgraph/ops/shared/detail/wide.hpp>
#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/ops/nn/softmax.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class T> inline constexpr bool has_softmax_rows = std::is_same_v<T, float> || std::is_same_v<T, double>;

// Elements x[0], x[step], ..: what makes their softmax from each of them.
template <class T> struct softmax_parts {
  const T* x;
  std::int64_t step;
  wide<T> largest = -std::numeric_limits<wide<T>>::infinity(), total = 0;

  wide<T> shifted(std::int64_t i) const { return widened(x[i * step]) - largest; }

  // For halves.
  softmax_parts(const T* from, std::int64_t by, std::int64_t n) : x(from), step(by) {
    for (std::int64_t i = 0; i < n; ++i)
      if (const wide<T> v = widened(x[i * step]); v > largest || v != v) largest = v;
    for (std::int64_t i = 0; i < n; ++i) total += std::exp(shifted(i));
  }
  // Leaves exp(shifted) in y.
  softmax_parts(const T* from, std::int64_t by, std::int64_t n, T* y) : x(from), step(by) {
    const T* row = x;
    if (step != 1) {
      for (std::int64_t i = 0; i < n; ++i) y[i] = x[i * step];
      row = y;
    }
    largest = kernel::dispatch([]<class L>(L) { return &L::template max<T>; })(row, n);
    total = kernel::dispatch([]<class L>(L) { return &L::template exp_minus<T>; })(row, largest, y, n);
  }
};

// y = softmax of the row; what it was made of is handed back.
template <class T> softmax_parts<T> softmax_row(const T* x, std::int64_t step, std::int64_t n, T* y) {
  if constexpr (has_softmax_rows<T>) {
    const softmax_parts<T> parts(x, step, n, y);
    for (std::int64_t i = 0; i < n; ++i) y[i] /= parts.total;
    return parts;
  } else {
    const softmax_parts<T> parts(x, step, n);
    for (std::int64_t i = 0; i < n; ++i) y[i] = narrowed<T>(std::exp(parts.shifted(i)) / parts.total);
    return parts;
  }
}

// Calls f(first row, last row) for rows of n elements, on the run's threads.
template <class F> void for_each_rows(cpu ctx, std::int64_t rows, std::int64_t n, F&& f) {
  ctx.parallel_ranges(rows, std::max<std::int64_t>(1, (1 << 13) / std::max<std::int64_t>(1, n)), f);
}

}  // namespace detail

template <class T> void softmax_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  if (y.size() == 0) return;
  const std::int64_t n = x.dim(-1);
  detail::for_each_rows(ctx, static_cast<std::int64_t>(x.size()) / n, n, [&](std::int64_t first, std::int64_t last) {
    if constexpr (detail::has_softmax_rows<T>) {
      kernel::dispatch([]<class L>(L) { return &L::template softmax<T>; })(x.data() + first * n, y.data() + first * n,
                                                                           last - first, n);
    } else {
      for (std::int64_t r = first; r < last; ++r) detail::softmax_row(x.data() + r * n, 1, n, y.data() + r * n);
    }
  });
}

template <class T> void log_softmax_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  if (y.size() == 0) return;
  const std::int64_t n = x.dim(-1);
  detail::for_each_rows(ctx, static_cast<std::int64_t>(x.size()) / n, n, [&](std::int64_t first, std::int64_t last) {
    if constexpr (detail::has_softmax_rows<T>) {
      kernel::dispatch([]<class L>(L) { return &L::template log_softmax<T>; })(x.data() + first * n, y.data() + first * n,
                                                                               last - first, n);
    } else {
      for (std::int64_t r = first; r < last; ++r) {
        const detail::softmax_parts<T> parts(x.data() + r * n, 1, n);
        const float log_total = std::log(parts.total);
        for (std::int64_t i = 0; i < n; ++i) y.data()[r * n + i] = detail::narrowed<T>(parts.shifted(i) - log_total);
      }
    }
  });
}

template <class T>
void softmax_cross_entropy_with_logits_op::operator()(cpu ctx, view<const T> logits, view<const T> labels, view<T> loss,
                                                      view<T> backprop) const {
  const std::int64_t rows = backprop.dim(0), n = backprop.dim(1);
  const auto step_of_rows = [&](view<const T> v) { return v.dim(0) == 1 ? std::int64_t{0} : v.dim(1); };
  const auto column_step = [](view<const T> v) { return v.dim(1) == 1 ? std::int64_t{0} : std::int64_t{1}; };
  detail::for_each_rows(ctx, rows, n, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      T* y = backprop.data() + r * n;
      const auto parts = detail::softmax_row(logits.data() + r * step_of_rows(logits), column_step(logits), n, y);
      const T* label = labels.data() + r * step_of_rows(labels);
      const detail::wide<T> log_total = std::log(parts.total);
      detail::wide<T> sum = 0;
      for (std::int64_t i = 0; i < n; ++i, label += column_step(labels)) {
        const detail::wide<T> probability = detail::widened(*label);
        sum += probability * (log_total - parts.shifted(i));
        y[i] = detail::narrowed<T>(detail::widened(y[i]) - probability);
      }
      loss.data()[r] = detail::narrowed<T>(sum);
    }
  });
}

template <class T, class I>
void sparse_softmax_cross_entropy_with_logits_op::operator()(cpu ctx, view<const T> logits, index_view<I> labels, view<T> loss,
                                                             view<T> backprop) const {
  const std::int64_t rows = logits.dim(0), n = logits.dim(1);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0 || labels[i] >= n) return ctx.fail(message{"label ", labels[i], " is not in [0, ", n, ")"});
  }
  detail::for_each_rows(ctx, rows, n, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      T* y = backprop.data() + r * n;
      const auto parts = detail::softmax_row(logits.data() + r * n, 1, n, y);
      const std::int64_t label = labels[r];
      loss.data()[r] = detail::narrowed<T>(std::log(parts.total) - parts.shifted(label));
      y[label] = detail::narrowed<T>(detail::widened(y[label]) - detail::wide<T>(1));
    }
  });
}

FLOWGRAPH_KERNEL_INLINE bool detail::is_made_of_zeros(const any_out& handle) {
  return handle.source && !handle.source->is_poison() && handle.source->op->name() == "ZerosLike";
}

}  // namespace flowgraph
