#pragma once

#include <flowgraph/ops/image/detail/resize_axis.hpp>
#include <flowgraph/ops/image/resize_nearest.hpp>
#include <flowgraph/ops/shared/detail/wide.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline std::int64_t nearest_pixel(const resize_axis& axis, bool align_corners, std::int64_t i) {
  const float at = axis.scaled(i);
  return axis.inside(static_cast<std::int64_t>(align_corners ? std::round(at) : std::floor(at)));
}

template <std::int64_t Depth, class T>
void copy_pixels_of(const T* x, const std::int64_t* places, std::int64_t n, std::int64_t depth, T* y) {
  const std::int64_t each = Depth ? Depth : depth;
  for (std::int64_t i = 0; i < n; ++i, y += each)
    for (std::int64_t c = 0; c < each; ++c) y[c] = x[places[i] + c];
}
template <class T> void copy_pixels(const T* x, const std::int64_t* places, std::int64_t n, std::int64_t depth, T* y) {
  switch (depth) {
    case 1: return copy_pixels_of<1>(x, places, n, depth, y);
    case 3: return copy_pixels_of<3>(x, places, n, depth, y);
    case 4: return copy_pixels_of<4>(x, places, n, depth, y);
    default: return copy_pixels_of<0>(x, places, n, depth, y);
  }
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t detail::nearest_gradient_scratch(const shape& dy) {
  return static_cast<std::size_t>(dy[2]) * sizeof(std::int64_t);
}

template <class T>
void resize_nearest_neighbor_op::operator()(cpu ctx, view<const T> x, view<const std::int32_t>, view<T> y) const {
  if (y.size() == 0) return;
  const detail::resize_sizes s = detail::resize_sizes_of(*this, x.shape(), y.shape());
  const std::int64_t row_size = s.columns.to * s.depth;
  detail::for_parts_of_rows(ctx, s.images * s.rows.to, row_size, [&](std::int64_t, std::int64_t first, std::int64_t last) {
    std::int64_t places[detail::most_columns];
    for (std::int64_t column = 0; column < s.columns.to; column += detail::most_columns) {
      const std::int64_t n = std::min(detail::most_columns, s.columns.to - column);
      for (std::int64_t i = 0; i < n; ++i) places[i] = detail::nearest_pixel(s.columns, align_corners, column + i) * s.depth;
      std::int64_t before = -1;  // the row of x in the previous row
      for (std::int64_t row = first; row < last; ++row) {
        const std::int64_t from = row / s.rows.to * s.rows.from + detail::nearest_pixel(s.rows, align_corners, row % s.rows.to);
        T* const to = y.data() + row * row_size + column * s.depth;
        if (from == before) std::copy_n(to - row_size, n * s.depth, to);
        else detail::copy_pixels(x.data() + from * s.columns.from * s.depth, places, n, s.depth, to);
        before = from;
      }
    }
  });
}

template <class T>
void resize_nearest_neighbor_grad_op::operator()(cpu ctx, view<const T> dy, view<const std::int32_t>, view<T> dx) const {
  if (dx.size() == 0) return;
  std::fill_n(dx.data(), dx.size(), T(0));
  if (dy.size() == 0) return;
  const detail::resize_sizes s = detail::resize_sizes_of(*this, dx.shape(), dy.shape());
  auto* const columns = ctx.scratch<std::int64_t>();
  for (std::int64_t i = 0; i < s.columns.to; ++i) columns[i] = detail::nearest_pixel(s.columns, align_corners, i) * s.depth;
  const std::int64_t width = s.columns.from * s.depth, given = s.columns.to * s.depth;
  detail::for_parts_of_rows(ctx, s.images * s.rows.from, width + given, [&](std::int64_t, std::int64_t first, std::int64_t last) {
    for (std::int64_t at = first; at < last; ++at) {
      const std::int64_t image = at / s.rows.from, row = at % s.rows.from;
      const auto shown = [&](std::int64_t k) { return detail::nearest_pixel(s.rows, align_corners, k); };
      std::int64_t i = detail::first_that(s.rows.to, [&](std::int64_t k) { return shown(k) >= row; });
      for (; i < s.rows.to && shown(i) == row; ++i) {
        const T* from = dy.data() + (image * s.rows.to + i) * given;
        for (std::int64_t j = 0; j < s.columns.to; ++j, from += s.depth)
          for (std::int64_t c = 0; c < s.depth; ++c) detail::add_in_place(dx.data()[at * width + columns[j] + c], from[c]);
      }
    }
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
