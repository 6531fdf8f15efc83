#pragma once

#include <flowgraph/ops/nn/detail/convolution.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/nn/depthwise.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::depthwise_shape(shape_context& c, const window_terms& t, const shape& x,
                                                                     const shape& filter) {
  const shape rank_four = shape::unknown_of_rank(4);
  if (!fits(filter, rank_four)) return c.fail("expected a filter of 4 axes");
  const shape f = merged(filter, rank_four);
  shape windows = f;
  windows[3] = -1;
  shape result = convolution_shape(c, t, 4, x, windows);
  if (c.failed()) return result;
  const int axis = t.channels_first ? 1 : 3;
  const std::int64_t depth = x.has_rank() ? x[axis] : -1, both[2] = {f[2], f[3]};
  if (depth >= 0 && f[2] >= 0 && depth != f[2]) return c.fail("the depth of the images must be that of the filter");
  if (f[2] < 0 || f[3] < 0) return result;
  result[axis] = checked_product(both, both + 2);
  return result[axis] < 0 ? c.fail("expected fewer outputs") : result;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::depthwise_gradient_shape(shape_context& c, const window_terms& t,
                                                                              std::size_t i, const shape& sizes,
                                                                              const shape& other, const shape& dy) {
  const shape result = vector_of_integers(c, i, sizes, i == 0 ? "input_sizes" : "filter_sizes", 4);
  if (c.failed()) return result;
  for (const std::int64_t extent : result)
    if (extent < 0) return c.fail("sizes must not be negative");
  const shape known = result.has_rank() ? result : shape::unknown_of_rank(4);
  const shape y = i == 0 ? depthwise_shape(c, t, known, other) : depthwise_shape(c, t, other, known);
  if (!c.failed() && !fits(dy, y)) return c.fail(message{"expected a gradient of shape ", y});
  return known;
}

namespace detail {

// Channels, or outputs, whose sums are kept on the stack.
inline constexpr std::int64_t depthwise_block = 128;

// Adds to outputs [first, last) of a place what its channels, times what each output has for them, come to.
template <class T>
void add_products(const T* x, const T* filter, std::int64_t multiplier, std::int64_t first, std::int64_t last, wide<T>* sum) {
  if (multiplier == 1) {
    for (std::int64_t o = first; o < last; ++o) sum[o - first] += widened(x[o]) * widened(filter[o]);
    return;
  }
  for (std::int64_t o = first; o < last;) {
    const std::int64_t channel = o / multiplier, end = std::min(last, (channel + 1) * multiplier);
    for (const wide<T> value = widened(x[channel]); o < end; ++o) sum[o - first] += value * widened(filter[o]);
  }
}

// Calls f(first, last) for each block of [0, n).
template <class F> void for_each_depthwise_block(std::int64_t n, F&& f) {
  for (std::int64_t first = 0; first < n; first += depthwise_block) f(first, std::min(first + depthwise_block, n));
}

// Places whose sums make a block of a parallel loop.
inline std::int64_t depthwise_grain(const convolution_sizes& s) {
  const std::int64_t work = std::max<std::int64_t>(1, s.planes.filter * s.columns.filter * s.depth * s.outputs);
  return std::max<std::int64_t>(1, (1 << 15) / work);
}

// Adds the products of taps to a strip of pixels, in the order in which they come. As many are kept as most filters have.
template <class T> class tap_sums {
public:
  tap_sums(T* y, std::int64_t pixels, std::int64_t channels, std::int64_t a_step, std::int64_t y_step)
      : y_(y), shape_{0, pixels, channels, a_step, y_step, false} {}

  void add(const T* a, const T* b) {
    if (shape_.taps == most) flush();
    a_[shape_.taps] = a;
    b_[shape_.taps++] = b;
  }
  // Must be called last. Without taps the sums are zero.
  void finish() {
    if (shape_.taps > 0 || !shape_.accumulate) flush();
  }

private:
  static constexpr std::int64_t most = 64;

  void flush() {
    kernel::dispatch([]<class L>(L) { return &L::template taps<T>; })(shape_, a_, b_, y_);
    shape_.taps = 0;
    shape_.accumulate = true;
  }

  T* y_;
  kernel::taps_shape shape_;
  const T *a_[most], *b_[most];
};

// How many places, each a step after the one before, are in the windows of outputs at the same elements of the filter.
inline std::int64_t alike_places(const convolution_axis& axis, std::int64_t place) {
  std::int64_t alike = (axis.extent - place + axis.step - 1) / axis.step;
  for (std::int64_t j = 0; j < axis.filter; ++j) {
    const std::int64_t from = place + axis.start - j * axis.dilation;
    if (from % axis.step == 0 && from / axis.step < axis.outputs)
      alike = std::min(alike, (from < 0 ? 0 : axis.outputs) - from / axis.step);
  }
  return alike;
}

// Finishes pixels [first, last), each of n elements.
inline void finish_pixels(const result_finish* f, float* y, std::int64_t n, std::int64_t first, std::int64_t last) {
  if (!f) return;
  const auto finish = kernel::dispatch([]<class L>(L) { return &L::template finish<float>; });
  finish(*f, {y + first * n, nullptr, n, last - first, n});
}

// The outputs line by line, for channels with one output each. Pixels whose windows have the same taps are computed together, if
// they are to be finished as many as the first-level cache contains.
template <class T> void depthwise_lines(cpu ctx, const convolution_sizes& s, const T* x, const T* filter, T* y) {
  constexpr std::int64_t finished_elements = 4096;
  const result_finish* const finish = finish_of<T>(ctx);
  const std::int64_t most = finish ? std::max<std::int64_t>(4, finished_elements / s.depth / 4 * 4) : s.columns.outputs;
  const std::int64_t grain = std::max<std::int64_t>(1, depthwise_grain(s) / s.columns.outputs);
  ctx.parallel_ranges(s.images * s.planes.outputs, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end; ++line) {
      const std::int64_t image = line / s.planes.outputs, top = line % s.planes.outputs * s.planes.step - s.planes.start;
      for (std::int64_t column = 0; column < s.columns.outputs;) {
        const std::int64_t pixels = std::min(most, alike_outputs(s.columns, column));
        const std::int64_t left = column * s.columns.step - s.columns.start, pixel = line * s.columns.outputs + column;
        tap_sums<T> sums(y + pixel * s.depth, pixels, s.depth, s.columns.step * s.depth, s.depth);
        for (std::int64_t i = 0; i < s.planes.filter; ++i) {
          const std::int64_t row = top + i * s.planes.dilation;
          if (row < 0 || row >= s.planes.extent) continue;
          for (std::int64_t j = 0; j < s.columns.filter; ++j) {
            const std::int64_t at = left + j * s.columns.dilation;
            if (at < 0 || at >= s.columns.extent) continue;
            sums.add(x + ((image * s.planes.extent + row) * s.columns.extent + at) * s.depth,
                     filter + (i * s.columns.filter + j) * s.depth);
          }
        }
        sums.finish();
        if constexpr (std::is_same_v<T, float>) finish_pixels(finish, y, s.depth, pixel, pixel + pixels);
        column += pixels;
      }
    }
  });
}

template <class T> void depthwise(cpu ctx, const convolution_sizes& s, const T* x, const T* filter, T* y) {
  if constexpr (has_level_product<T>) {
    if (s.outputs == 1) return depthwise_lines(ctx, s, x, filter, y);
  }
  const std::int64_t n = s.depth * s.outputs;
  ctx.parallel_ranges(s.pixels(), depthwise_grain(s), [&](std::int64_t begin, std::int64_t end) {
    wide<T> sum[depthwise_block];
    for (std::int64_t pixel = begin; pixel < end; ++pixel) {
      for_each_depthwise_block(n, [&](std::int64_t first, std::int64_t last) {
        std::fill_n(sum, last - first, wide<T>{});
        for_each_run(s, pixel, 0, 0, s.planes.extent, [&](const window_run& run) {
          for (std::int64_t i = 0; i < run.size; i += s.depth)
            add_products(x + run.at + i, filter + (run.inner + i) * s.outputs, s.outputs, first, last, sum);
        });
        for (std::int64_t o = first; o < last; ++o) y[pixel * n + o] = narrowed<T>(sum[o - first]);
      });
    }
    if constexpr (std::is_same_v<T, float>) finish_pixels(ctx.call().run->finish, y, n, begin, end);
  });
}

// The output whose window has element `at` of an axis at place `i` of the filter; -1 where there is none.
inline std::int64_t output_over(const convolution_axis& axis, std::int64_t at, std::int64_t i) {
  const std::int64_t from = at + axis.start - i * axis.dilation;
  return from >= 0 && from % axis.step == 0 && from / axis.step < axis.outputs ? from / axis.step : -1;
}

// The gradient of the images line by line, for channels with one output each. Places with the same taps are computed together.
template <class T> void depthwise_input_lines(cpu ctx, const convolution_sizes& s, const T* filter, const T* dy, T* dx) {
  const convolution_axis& columns = s.columns;
  const std::int64_t grain = std::max<std::int64_t>(1, depthwise_grain(s) / columns.extent);
  ctx.parallel_ranges(s.images * s.planes.extent, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t line = begin; line < end; ++line) {
      const std::int64_t image = line / s.planes.extent, row = line % s.planes.extent;
      const auto sum = [&](std::int64_t column, std::int64_t pixels) {
        tap_sums<T> sums(dx + (line * columns.extent + column) * s.depth, pixels, s.depth, s.depth, columns.step * s.depth);
        for (std::int64_t i = 0; i < s.planes.filter; ++i) {
          const std::int64_t output_row = output_over(s.planes, row, i);
          if (output_row < 0) continue;
          for (std::int64_t j = 0; j < columns.filter; ++j) {
            const std::int64_t output_column = output_over(columns, column, j);
            if (output_column < 0) continue;
            sums.add(dy + ((image * s.planes.outputs + output_row) * columns.outputs + output_column) * s.depth,
                     filter + (i * columns.filter + j) * s.depth);
          }
        }
        sums.finish();
      };
      for (std::int64_t first = 0; first < std::min(columns.step, columns.extent); ++first) {
        for (std::int64_t column = first; column < columns.extent;) {
          const std::int64_t pixels = alike_places(columns, column);
          sum(column, pixels);
          column += pixels * columns.step;
        }
      }
    }
  });
}

template <class T> void depthwise_input(cpu ctx, const convolution_sizes& s, const T* filter, const T* dy, T* dx) {
  if constexpr (has_level_product<T>) {
    if (s.outputs == 1) return depthwise_input_lines(ctx, s, filter, dy, dx);
  }
  const std::int64_t n = s.depth * s.outputs, rows = s.planes.extent, columns = s.columns.extent;
  ctx.parallel_ranges(s.images * rows * columns, depthwise_grain(s), [&](std::int64_t begin, std::int64_t end) {
    wide<T> sum[depthwise_block];
    for (std::int64_t place = begin; place < end; ++place) {
      const std::int64_t image = place / (rows * columns), row = place / columns % rows, column = place % columns;
      for_each_depthwise_block(s.depth, [&](std::int64_t first, std::int64_t last) {
        std::fill_n(sum, last - first, wide<T>{});
        for (std::int64_t i = 0; i < s.planes.filter; ++i) {
          const std::int64_t output_row = output_over(s.planes, row, i);
          if (output_row < 0) continue;
          for (std::int64_t j = 0; j < s.columns.filter; ++j) {
            const std::int64_t output_column = output_over(s.columns, column, j);
            if (output_column < 0) continue;
            const T* from = dy + ((image * s.planes.outputs + output_row) * s.columns.outputs + output_column) * n;
            const T* weights = filter + (i * s.columns.filter + j) * n;
            if (s.outputs == 1) {
              add_products(from, weights, 1, first, last, sum);
              continue;
            }
            for (std::int64_t c = first; c < last; ++c)
              for (std::int64_t o = c * s.outputs; o < (c + 1) * s.outputs; ++o)
                sum[c - first] += widened(from[o]) * widened(weights[o]);
          }
        }
        for (std::int64_t c = first; c < last; ++c) dx[place * s.depth + c] = narrowed<T>(sum[c - first]);
      });
    }
  });
}

// Calls f(column, pixels, first, last) for strips of outputs whose windows have elements [first, last) of an axis, which may be
// none.
template <class F> void for_each_strip(const convolution_axis& axis, F&& f) {
  for (std::int64_t column = 0; column < axis.outputs;) {
    const std::int64_t pixels = alike_outputs(axis, column), left = column * axis.step - axis.start;
    std::int64_t first = left < 0 ? (-left + axis.dilation - 1) / axis.dilation : 0, last = axis.filter;
    if (left + (last - 1) * axis.dilation >= axis.extent) last = (axis.extent - left + axis.dilation - 1) / axis.dilation;
    f(column, pixels, first, last);
    column += pixels;
  }
}

// The gradient of one row of the filter, for channels [begin, end) with one output each: the columns of the row share the slopes.
template <class T>
void depthwise_filter_row(const convolution_sizes& s, const T* x, const T* dy, T* df, std::int64_t i, std::int64_t begin,
                          std::int64_t end) {
  constexpr std::int64_t most = 16;
  const T* from[most];
  T* to[most];
  const auto slopes = kernel::dispatch([]<class L>(L) { return &L::template tap_slopes<T>; });
  df += i * s.columns.filter * s.depth + begin;
  for (std::int64_t j = 0; j < s.columns.filter; ++j) std::fill_n(df + j * s.depth, end - begin, T{});
  for (std::int64_t line = 0; line < s.images * s.planes.outputs; ++line) {
    const std::int64_t image = line / s.planes.outputs;
    const std::int64_t row = line % s.planes.outputs * s.planes.step - s.planes.start + i * s.planes.dilation;
    if (row < 0 || row >= s.planes.extent) continue;
    const T* const start = x + (image * s.planes.extent + row) * s.columns.extent * s.depth + begin;
    for_each_strip(s.columns, [&](std::int64_t column, std::int64_t pixels, std::int64_t first, std::int64_t last) {
      const std::int64_t left = column * s.columns.step - s.columns.start;
      while (first < last) {
        std::int64_t taps = 0;
        for (; first < last && taps < most; ++first, ++taps) {
          from[taps] = start + (left + first * s.columns.dilation) * s.depth;
          to[taps] = df + first * s.depth;
        }
        slopes({taps, pixels, end - begin, s.columns.step * s.depth, s.depth}, from,
               dy + (line * s.columns.outputs + column) * s.depth + begin, to);
      }
    });
  }
}

// Each place of the filter sums over all pixels in their order.
template <class T> void depthwise_filter(cpu ctx, const convolution_sizes& s, const T* x, const T* dy, T* df) {
  const std::int64_t n = s.depth * s.outputs, blocks = (n + depthwise_block - 1) / depthwise_block;
  if constexpr (has_level_product<T>) {
    if (s.outputs == 1)
      return ctx.parallel_for(s.planes.filter * blocks, [&](std::int64_t unit) {
        const std::int64_t first = unit % blocks * depthwise_block;
        depthwise_filter_row(s, x, dy, df, unit / blocks, first, std::min(first + depthwise_block, n));
      });
  }
  ctx.parallel_for(s.planes.filter * s.columns.filter * blocks, [&](std::int64_t unit) {
    const std::int64_t place = unit / blocks, i = place / s.columns.filter, j = place % s.columns.filter;
    const std::int64_t first = unit % blocks * depthwise_block, last = std::min(first + depthwise_block, n);
    wide<T> sum[depthwise_block]{};
    for (std::int64_t line = 0; line < s.images * s.planes.outputs; ++line) {
      const std::int64_t image = line / s.planes.outputs;
      const std::int64_t row = line % s.planes.outputs * s.planes.step - s.planes.start + i * s.planes.dilation;
      if (row < 0 || row >= s.planes.extent) continue;
      for (std::int64_t k = 0; k < s.columns.outputs; ++k) {
        const std::int64_t column = k * s.columns.step - s.columns.start + j * s.columns.dilation;
        if (column < 0 || column >= s.columns.extent) continue;
        add_products(x + ((image * s.planes.extent + row) * s.columns.extent + column) * s.depth,
                     dy + (line * s.columns.outputs + k) * n, s.outputs, first, last, sum);
      }
    }
    for (std::int64_t o = first; o < last; ++o) df[place * n + o] = narrowed<T>(sum[o - first]);
  });
}

}  // namespace detail

template <class T> void depthwise_conv2d_op::operator()(cpu ctx, view<const T> x, view<const T> filter, view<T> y) const {
  const detail::window_terms t = detail::terms_of(*this);
  if (y.size() == 0 || !detail::check_channels(ctx, t)) return;
  detail::depthwise(ctx, detail::sizes_of(t, x.shape(), filter.shape()), x.data(), filter.data(), y.data());
}

template <class T>
void depthwise_conv2d_backprop_input_op::operator()(cpu ctx, view<const std::int32_t>, view<const T> filter, view<const T> dy,
                                                    view<T> dx) const {
  const detail::window_terms t = detail::terms_of(*this);
  if (dx.size() == 0 || !detail::check_channels(ctx, t)) return;
  detail::depthwise_input(ctx, detail::sizes_of(t, dx.shape(), filter.shape()), filter.data(), dy.data(), dx.data());
}

template <class T>
void depthwise_conv2d_backprop_filter_op::operator()(cpu ctx, view<const T> x, view<const std::int32_t>, view<const T> dy,
                                                     view<T> df) const {
  const detail::window_terms t = detail::terms_of(*this);
  if (df.size() == 0 || !detail::check_channels(ctx, t)) return;
  detail::depthwise_filter(ctx, detail::sizes_of(t, x.shape(), df.shape()), x.data(), dy.data(), df.data());
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
