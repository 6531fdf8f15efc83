#pragma once

#include <flowgraph/ops/detail/wide.hpp>
#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/ops/nn/pool.hpp>

#include <algorithm>
#include <limits>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The windows of a pool over one batch of images.
struct pool_sizes {
  std::int64_t images, rows, columns, depth, output_rows, output_columns;
  window row_window, column_window;
  std::int64_t row_start, column_start;

  FLOWGRAPH_COLD pool_sizes(const pool_attributes& a, const shape& x) : images(x[0]), rows(x[1]), columns(x[2]), depth(x[3]) {
    row_window = {a.ksize[1], a.strides[1], 1, 0, 0};
    column_window = {a.ksize[2], a.strides[2], 1, 0, 0};
    if (a.padding == padding::explicit_) {
      row_window.before = a.explicit_paddings[2], row_window.after = a.explicit_paddings[3];
      column_window.before = a.explicit_paddings[4], column_window.after = a.explicit_paddings[5];
    }
    output_rows = row_window.outputs(rows, a.padding);
    output_columns = column_window.outputs(columns, a.padding);
    row_start = row_window.start(rows, a.padding);
    column_start = column_window.start(columns, a.padding);
  }
  std::int64_t pixels() const { return images * output_rows * output_columns; }

  // What lies in its image of the window of a pixel: rows [top, bottom) and columns [left, right) of it.
  struct box {
    std::int64_t image, top, bottom, left, right;
    std::int64_t size() const { return (bottom - top) * (right - left); }
  };
  box at(std::int64_t pixel) const {
    const std::int64_t column = pixel % output_columns * column_window.step - column_start;
    const std::int64_t row = pixel / output_columns % output_rows * row_window.step - row_start;
    return {pixel / output_columns / output_rows, std::max<std::int64_t>(row, 0), std::min(row + row_window.size, rows),
            std::max<std::int64_t>(column, 0), std::min(column + column_window.size, columns)};
  }
  std::int64_t offset(std::int64_t image, std::int64_t row, std::int64_t column) const {
    return ((image * rows + row) * columns + column) * depth;
  }
  // Calls f(offset in x) for each element of the window's first channel, row by row.
  template <class F>
  void for_each(const box& b, F&& f) const {
    for (std::int64_t row = b.top; row < b.bottom; ++row)
      for (std::int64_t column = b.left; column < b.right; ++column) f(offset(b.image, row, column));
  }
  // Pixels whose windows make a block of a parallel loop.
  std::int64_t pixels_per_block() const {
    return std::max<std::int64_t>(1, (1 << 15) / std::max<std::int64_t>(1, depth * row_window.size * column_window.size));
  }
};

inline bool check_pool_order(cpu ctx, data_format f) {
  if (f == data_format::nhwc) return true;
  ctx.fail(error_code::invalid_argument, "the CPU has pools for images in the order NHWC only");
  return false;
}

// NaN is larger than any number, and the first one found stays.
template <class T>
bool is_larger(T a, T b) {
  if constexpr (is_half<T>) return is_larger(static_cast<float>(a), static_cast<float>(b));
  else return a > b || (a != a && b == b);
}

template <class T>
void larger_row(T* y, const T* x, std::int64_t n) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    if (n >= 8) return kernel::binary_loop<functor::maximum, T>().both(y, x, y, n);
  }
  for (std::int64_t i = 0; i < n; ++i)
    if (is_larger(x[i], y[i])) y[i] = x[i];
}

// As TensorFlow's forward pool has it, where a window's largest element has come out NaN: the largest of the others, the least
// number where there are no others.
template <class T>
void pass_over_nans(const pool_sizes& s, const T* x, const pool_sizes::box& b, T* y) {
  for (std::int64_t c = 0; c < s.depth; ++c) {
    if (y[c] == y[c]) continue;
    y[c] = std::numeric_limits<T>::lowest();
    s.for_each(b, [&](std::int64_t at) {
      if (x[at + c] > y[c]) y[c] = x[at + c];
    });
  }
}

// Where in x the first largest element of the windows of a pixel is, for some channels.
template <class T>
void find_largest(const pool_sizes& s, const T* x, const pool_sizes::box& b, std::int64_t first, std::int64_t last,
                  std::int64_t* where) {
  bool begun = false;
  s.for_each(b, [&](std::int64_t at) {
    for (std::int64_t c = first; c < last; ++c)
      if (!begun || is_larger(x[at + c], x[where[c - first]])) where[c - first] = at + c;
    begun = true;
  });
}

}  // namespace detail

template <class T>
void max_pool_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  if (!detail::check_pool_order(ctx, data_format) || y.size() == 0) return;
  const detail::pool_sizes s(*this, x.shape());
  ctx.parallel_ranges(s.pixels(), s.pixels_per_block(), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t pixel = first; pixel < last; ++pixel) {
      T* row = y.data() + pixel * s.depth;
      bool begun = false;
      s.for_each(s.at(pixel), [&](std::int64_t at) {
        if (begun) detail::larger_row(row, x.data() + at, s.depth);
        else std::copy_n(x.data() + at, s.depth, row);
        begun = true;
      });
      if constexpr (std::is_floating_point_v<T>) detail::pass_over_nans(s, x.data(), s.at(pixel), row);
    }
  });
}

namespace detail {

// Channels that are treated together where windows overlap: so many places of the largest are kept on the stack.
inline constexpr std::int64_t pool_channels = 64;

// Calls f(image, first channel, last channel) on the run's threads: no two of them write to the same place.
template <class F>
void for_each_channel_block(cpu ctx, const pool_sizes& s, F&& f) {
  const std::int64_t blocks = (s.depth + pool_channels - 1) / pool_channels;
  ctx.parallel_for(s.images * blocks, [&](std::int64_t i) {
    const std::int64_t first = i % blocks * pool_channels;
    f(i / blocks, first, std::min(first + pool_channels, s.depth));
  });
}

template <class T>
void clear_channels(const pool_sizes& s, T* dx, std::int64_t image, std::int64_t first, std::int64_t last) {
  for (std::int64_t i = 0; i < s.rows * s.columns; ++i) std::fill_n(dx + s.offset(image, 0, i) + first, last - first, T{});
}

}  // namespace detail

template <class T>
void max_pool_grad_op::operator()(cpu ctx, view<const T> x, view<const T>, view<const T> dy, view<T> dx) const {
  if (!detail::check_pool_order(ctx, data_format) || dx.size() == 0) return;
  const detail::pool_sizes s(*this, x.shape());
  const std::int64_t pixels = s.output_rows * s.output_columns;
  detail::for_each_channel_block(ctx, s, [&](std::int64_t image, std::int64_t first, std::int64_t last) {
    detail::clear_channels(s, dx.data(), image, first, last);
    std::int64_t where[detail::pool_channels];
    for (std::int64_t pixel = image * pixels; pixel < (image + 1) * pixels; ++pixel) {
      detail::find_largest(s, x.data(), s.at(pixel), first, last, where);
      for (std::int64_t c = first; c < last; ++c) {
        T& to = dx.data()[where[c - first]];
        to = detail::narrowed<T>(
            static_cast<detail::wide<T>>(detail::widened(to) + detail::widened(dy.data()[pixel * s.depth + c])));
      }
    }
  });
}

template <class T>
void max_pool_grad_grad_op::operator()(cpu ctx, view<const T> x, view<const T>, view<const T> ddx, view<T> ddy) const {
  if (!detail::check_pool_order(ctx, data_format) || ddy.size() == 0) return;
  const detail::pool_sizes s(*this, x.shape());
  ctx.parallel_ranges(s.pixels(), s.pixels_per_block(), [&](std::int64_t begin, std::int64_t end) {
    std::int64_t where[detail::pool_channels];
    for (std::int64_t pixel = begin; pixel < end; ++pixel) {
      for (std::int64_t first = 0; first < s.depth; first += detail::pool_channels) {
        const std::int64_t last = std::min(first + detail::pool_channels, s.depth);
        detail::find_largest(s, x.data(), s.at(pixel), first, last, where);
        for (std::int64_t c = first; c < last; ++c) ddy.data()[pixel * s.depth + c] = ddx.data()[where[c - first]];
      }
    }
  });
}

template <class T>
void avg_pool_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  if (!detail::check_pool_order(ctx, data_format) || y.size() == 0) return;
  const detail::pool_sizes s(*this, x.shape());
  ctx.parallel_ranges(s.pixels(), s.pixels_per_block(), [&](std::int64_t begin, std::int64_t end) {
    detail::wide<T> sum[detail::pool_channels];
    for (std::int64_t pixel = begin; pixel < end; ++pixel) {
      const auto box = s.at(pixel);
      const auto count = static_cast<detail::wide<T>>(box.size());
      for (std::int64_t first = 0; first < s.depth; first += detail::pool_channels) {
        const std::int64_t n = std::min(detail::pool_channels, s.depth - first);
        std::fill_n(sum, n, detail::wide<T>{});
        s.for_each(box, [&](std::int64_t at) {
          for (std::int64_t c = 0; c < n; ++c) sum[c] += detail::widened(x.data()[at + first + c]);
        });
        for (std::int64_t c = 0; c < n; ++c) y.data()[pixel * s.depth + first + c] = detail::narrowed<T>(sum[c] / count);
      }
    }
  });
}

template <class T>
void avg_pool_grad_op::operator()(cpu ctx, view<const std::int32_t>, view<const T> dy, view<T> dx) const {
  if (!detail::check_pool_order(ctx, data_format) || dx.size() == 0) return;
  const detail::pool_sizes s(*this, dx.shape());
  const std::int64_t pixels = s.output_rows * s.output_columns;
  detail::for_each_channel_block(ctx, s, [&](std::int64_t image, std::int64_t first, std::int64_t last) {
    detail::clear_channels(s, dx.data(), image, first, last);
    detail::wide<T> share[detail::pool_channels];
    for (std::int64_t pixel = image * pixels; pixel < (image + 1) * pixels; ++pixel) {
      const auto box = s.at(pixel);
      const auto count = static_cast<detail::wide<T>>(box.size());
      for (std::int64_t c = first; c < last; ++c) share[c - first] = detail::widened(dy.data()[pixel * s.depth + c]) / count;
      s.for_each(box, [&](std::int64_t at) {
        for (std::int64_t c = first; c < last; ++c)
          dx.data()[at + c] = detail::narrowed<T>(detail::widened(dx.data()[at + c]) + share[c - first]);
      });
    }
  });
}

}  // namespace flowgraph
