#pragma once

#include <flowgraph/ops/nn/convolution.hpp>
#include <flowgraph/ops/nn/dilation.hpp>
#include <flowgraph/ops/nn/detail/unroll.hpp>
#include <flowgraph/ops/shared/detail/wide.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::dilation_shape(shape_context& c, const dilation_attributes& a,
                                                                    const shape& x, const shape& filter) {
  if (!fits(x, shape::unknown_of_rank(4)) || !fits(filter, shape::unknown_of_rank(3)))
    return c.fail("expected images of four axes and a filter of three");
  shape result = merged(x, shape::unknown_of_rank(4));
  const shape f = merged(filter, shape::unknown_of_rank(3));
  if (f[0] == 0 || f[1] == 0) return c.fail("the filter must not be empty");
  if (result[3] >= 0 && f[2] >= 0 && result[3] != f[2]) return c.fail("the depth of the images must be that of the filter");
  const windows w = windows_of(c, terms_of(a), shape{1, f[0], f[1], 1});
  if (c.failed()) return shape::unknown();
  result[1] = window_outputs(c, w[1], result[1], a.padding);
  result[2] = window_outputs(c, w[2], result[2], a.padding);
  if (result[3] < 0) result[3] = f[2];
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE bool detail::check_dilation(shape_context& c, const dilation_attributes& a, const shape& x,
                                                                   const shape& filter, const shape& dy) {
  const shape y = dilation_shape(c, a, x, filter);
  if (!c.failed() && !fits(dy, y)) c.fail(message{"expected a gradient of shape ", y});
  return !c.failed();
}

namespace detail {

inline constexpr std::int64_t dilation_channels = 64;  // number of channels that are processed together

FLOWGRAPH_COLD inline convolution_sizes dilation_sizes(const dilation_attributes& a, const shape& x, const shape& filter) {
  return sizes_of(terms_of(a), x, shape{filter[0], filter[1], filter[2], filter[2]});
}

// Finds the largest sums of a pixel for channels [first, last). Calls found(channel, place in x, place in the filter) for each
// sum that is larger than the previous ones.
template <class T, class Found>
void find_sums(const convolution_sizes& s, const T* x, const T* filter, std::int64_t pixel, std::int64_t first, std::int64_t last,
               T* largest, Found&& found) {
  std::fill_n(largest, last - first, least_finite<T>());
  for_each_run(s, pixel, 0, 0, s.planes.extent, [&](const window_run& run) {
    for (std::int64_t i = 0; i < run.size; i += s.depth) {
      for (std::int64_t c = first; c < last; ++c) {
        const T sum = narrowed<T>(static_cast<wide<T>>(widened(x[run.at + i + c]) + widened(filter[run.inner + i + c])));
        if (!is_larger(sum, largest[c - first])) continue;
        largest[c - first] = sum;
        found(c, run.at + i + c, run.inner + i + c);
      }
    }
  });
}

// Calls to(channel, place in x, place in the filter) with the places of the largest sum of each channel of the pixel. If no sum
// counts, uses the first places.
template <class T, class To>
void place_sums(const convolution_sizes& s, const T* x, const T* filter, std::int64_t pixel, std::int64_t first,
                std::int64_t last, To&& to) {
  T largest[dilation_channels];
  std::int64_t in_x[dilation_channels], in_filter[dilation_channels];
  const std::int64_t line = pixel / s.columns.outputs, image = line / s.planes.outputs;
  const std::int64_t row = std::max<std::int64_t>(0, line % s.planes.outputs * s.planes.step - s.planes.start);
  const std::int64_t column = std::max<std::int64_t>(0, pixel % s.columns.outputs * s.columns.step - s.columns.start);
  const std::int64_t at = ((image * s.planes.extent + row) * s.columns.extent + column) * s.depth;
  for (std::int64_t c = first; c < last; ++c) in_x[c - first] = at + c, in_filter[c - first] = c;
  find_sums(s, x, filter, pixel, first, last, largest, [&](std::int64_t c, std::int64_t place, std::int64_t filter_place) {
    in_x[c - first] = place;
    in_filter[c - first] = filter_place;
  });
  for (std::int64_t c = first; c < last; ++c) to(c, in_x[c - first], in_filter[c - first]);
}

}  // namespace detail

template <class T> void dilation2d_op::operator()(cpu ctx, view<const T> x, view<const T> filter, view<T> y) const {
  if (y.size() == 0) return;
  const detail::convolution_sizes s = detail::dilation_sizes(*this, x.shape(), filter.shape());
  const std::int64_t grain = std::max<std::int64_t>(1, (1 << 13) / static_cast<std::int64_t>(filter.size()));
  ctx.parallel_ranges(s.pixels(), grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t pixel = begin; pixel < end; ++pixel)
      for (std::int64_t first = 0; first < s.depth; first += detail::dilation_channels)
        detail::find_sums(s, x.data(), filter.data(), pixel, first, std::min(first + detail::dilation_channels, s.depth),
                          y.data() + pixel * s.depth + first, [](std::int64_t, std::int64_t, std::int64_t) {});
  });
}

template <class T>
void dilation2d_backprop_input_op::operator()(cpu ctx, view<const T> x, view<const T> filter, view<const T> dy,
                                              view<T> dx) const {
  if (dx.size() == 0) return;
  const detail::convolution_sizes s = detail::dilation_sizes(*this, x.shape(), filter.shape());
  const std::int64_t blocks = (s.depth + detail::dilation_channels - 1) / detail::dilation_channels;
  const std::int64_t places = s.planes.extent * s.columns.extent;
  ctx.parallel_for(s.images * blocks, [&](std::int64_t unit) {
    const std::int64_t image = unit / blocks, first = unit % blocks * detail::dilation_channels;
    const std::int64_t last = std::min(first + detail::dilation_channels, s.depth);
    for (std::int64_t i = image * places; i < (image + 1) * places; ++i)
      std::fill_n(dx.data() + i * s.depth + first, last - first, T{});
    for (std::int64_t pixel = image * s.image_pixels(); pixel < (image + 1) * s.image_pixels(); ++pixel)
      detail::place_sums(s, x.data(), filter.data(), pixel, first, last, [&](std::int64_t c, std::int64_t at, std::int64_t) {
        detail::add_in_place(dx.data()[at], dy.data()[pixel * s.depth + c]);
      });
  });
}

template <class T>
void dilation2d_backprop_filter_op::operator()(cpu ctx, view<const T> x, view<const T> filter, view<const T> dy,
                                               view<T> df) const {
  if (df.size() == 0) return;
  const detail::convolution_sizes s = detail::dilation_sizes(*this, x.shape(), filter.shape());
  const std::int64_t blocks = (s.depth + detail::dilation_channels - 1) / detail::dilation_channels;
  ctx.parallel_for(blocks, [&](std::int64_t block) {
    const std::int64_t first = block * detail::dilation_channels, last = std::min(first + detail::dilation_channels, s.depth);
    for (std::int64_t i = 0; i < s.planes.filter * s.columns.filter; ++i)
      std::fill_n(df.data() + i * s.depth + first, last - first, T{});
    for (std::int64_t pixel = 0; pixel < s.pixels(); ++pixel)
      detail::place_sums(s, x.data(), filter.data(), pixel, first, last, [&](std::int64_t c, std::int64_t, std::int64_t place) {
        detail::add_in_place(df.data()[place], dy.data()[pixel * s.depth + c]);
      });
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
