#pragma once

#include <flowgraph/ops/nn/bias.hpp>
#include <flowgraph/ops/shared/detail/wide.hpp>
#include <flowgraph/ops/kernel/dispatch.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A batch as outer x channels x inner.
struct bias_sizes {
  std::int64_t outer = 1, channels, inner = 1;
  bias_sizes(data_format f, const shape& x) {
    const int axis = channel_axis(f, x);
    channels = x[axis];
    for (int i = 0; i < axis; ++i) outer *= x[i];
    for (int i = axis + 1; i < x.rank; ++i) inner *= x[i];
  }
};

template <class T> void add_rows(const T* x, const T* bias, T* y, std::int64_t rows, std::int64_t n) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    const auto add = kernel::binary_loop<functor::add, T>().both;
    for (; rows > 0; --rows, x += n, y += n) add(x, bias, y, n);
  } else {
    for (; rows > 0; --rows, x += n, y += n)
      for (std::int64_t i = 0; i < n; ++i) y[i] = narrowed<T>(static_cast<wide<T>>(widened(x[i]) + widened(bias[i])));
  }
}

template <class T> void add_one(const T* x, const T* bias, T* y, std::int64_t n) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    kernel::binary_loop<functor::add, T>().scalar_right(x, bias, y, n);
  } else {
    for (std::int64_t i = 0; i < n; ++i) y[i] = narrowed<T>(static_cast<wide<T>>(widened(x[i]) + widened(*bias)));
  }
}

// Rows of up to so many channels are summed together: a few hundred rows at a time, and then those sums.
inline constexpr std::int64_t summed_channels = 64, summed_rows = 256;

// Adds n elements of a row.
template <class T> void add_channels(wide<T>* sum, const T* row, std::int64_t n) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    kernel::binary_loop<functor::add, T>().both(sum, row, sum, n);
  } else {
    for (std::int64_t i = 0; i < n; ++i) sum[i] = sum[i] + widened(row[i]);
  }
}

template <class T> void sum_rows(const T* x, std::int64_t rows, std::int64_t step, std::int64_t n, wide<T>* total) {
  wide<T> some[summed_channels];
  std::fill_n(total, n, wide<T>{});
  for (std::int64_t first = 0; first < rows; first += summed_rows) {
    std::fill_n(some, n, wide<T>{});
    for (std::int64_t r = first; r < std::min(first + summed_rows, rows); ++r) add_channels(some, x + r * step, n);
    for (std::int64_t i = 0; i < n; ++i) total[i] = total[i] + some[i];
  }
}

template <class T> wide<T> sum_run(const T* x, std::int64_t n) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    return kernel::dispatch([]<class L>(L) { return &L::template sum<T>; })(x, n);
  } else {
    wide<T> total{};
    for (std::int64_t i = 0; i < n; ++i) total = total + widened(x[i]);
    return total;
  }
}

}  // namespace detail

template <class T> void bias_add_op::operator()(cpu ctx, view<const T> x, view<const T> bias, view<T> y) const {
  if (y.size() == 0) return;
  const detail::bias_sizes s(data_format, x.shape());
  constexpr std::int64_t grain = 1 << 15;
  if (s.inner == 1) {
    ctx.parallel_ranges(s.outer, std::max<std::int64_t>(1, grain / s.channels), [&](std::int64_t first, std::int64_t last) {
      detail::add_rows(x.data() + first * s.channels, bias.data(), y.data() + first * s.channels, last - first, s.channels);
    });
    return;
  }
  ctx.parallel_ranges(s.outer * s.channels, std::max<std::int64_t>(1, grain / s.inner),
                      [&](std::int64_t first, std::int64_t last) {
                        for (std::int64_t i = first; i < last; ++i)
                          detail::add_one(x.data() + i * s.inner, bias.data() + i % s.channels, y.data() + i * s.inner, s.inner);
                      });
}

template <class T> void bias_add_grad_op::operator()(cpu ctx, view<const T> dy, view<T> db) const {
  const detail::bias_sizes s(data_format, dy.shape());
  if (s.inner == 1) {
    constexpr std::int64_t width = detail::summed_channels, work = 1 << 15;  // elements for a thread
    const std::int64_t widths = std::max<std::int64_t>(1, work / width / std::max<std::int64_t>(s.outer, 1));
    ctx.parallel_ranges(s.channels, widths * width, [&](std::int64_t first, std::int64_t last) {
      detail::wide<T> total[detail::summed_channels];
      for (std::int64_t c = first; c < last; c += width) {
        const std::int64_t n = std::min(width, last - c);
        detail::sum_rows(dy.data() + c, s.outer, s.channels, n, total);
        for (std::int64_t i = 0; i < n; ++i) db.data()[c + i] = detail::narrowed<T>(total[i]);
      }
    });
    return;
  }
  ctx.parallel_for(s.channels, [&](std::int64_t c) {
    detail::wide<T> total{};
    for (std::int64_t i = 0; i < s.outer; ++i)
      total = total + detail::sum_run(dy.data() + (i * s.channels + c) * s.inner, s.inner);
    db.data()[c] = detail::narrowed<T>(total);
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
