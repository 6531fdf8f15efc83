#pragma once

#include <flowgraph/ops/image/detail/resize_axis.hpp>
#include <flowgraph/ops/image/resize_area.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// The pixels [begin, end) of an axis that pixel i of the resized images covers at least in part. Some may be outside of the axis.
struct area_span {
  std::int64_t begin, end;
  float first_part, last_part;  // the covered parts of the first and of the last pixel; the pixels between them are covered fully

  area_span() = default;
  area_span(const resize_axis& axis, std::int64_t i) {
    const float first = static_cast<float>(i) * axis.scale, last = static_cast<float>(i + 1) * axis.scale;
    begin = static_cast<std::int64_t>(std::floor(first));
    end = static_cast<std::int64_t>(std::ceil(last));
    const auto part_of_pixel = [&](std::int64_t at) {
      const auto low = static_cast<float>(at), high = static_cast<float>(at + 1);
      if (low < first) return high > last ? axis.scale : high - first;
      return high > last ? last - low : 1.0f;
    };
    first_part = part_of_pixel(begin);
    last_part = part_of_pixel(end - 1);
  }
  float part(std::int64_t at) const { return at == begin ? first_part : at + 1 == end ? last_part : 1.0f; }
};

// Adds up the rows of a span, from element `begin` of each row on.
template <class T>
void add_area_rows(const void* image, const resize_axis& axis, const area_span& rows, std::int64_t width, std::int64_t begin,
                   std::int64_t n, float* __restrict y) {
  const auto row = [&](std::int64_t at) { return static_cast<const T*>(image) + axis.inside(at) * width + begin; };
  const T* const first = row(rows.begin);
  for (std::int64_t i = 0; i < n; ++i) y[i] = static_cast<float>(first[i]) * rows.first_part;
  for (std::int64_t at = rows.begin + 1; at < rows.end; ++at) {
    const T* const x = row(at);
    const float part = rows.part(at);
    for (std::int64_t i = 0; i < n; ++i) y[i] += static_cast<float>(x[i]) * part;
  }
}

// Adds up the pixels of each span of columns. `row` begins at pixel `begin`; `whole` is 1 divided by the covered area. If Depth is not
// 0, it is the number of channels.
template <std::int64_t Depth>
void add_area_columns_of(const float* row, std::int64_t begin, const resize_axis& axis, const area_span* spans, std::int64_t n,
                         std::int64_t depth, float whole, float* __restrict y) {
  const std::int64_t each = Depth ? Depth : depth;
  for (std::int64_t i = 0; i < n; ++i, y += each) {
    float own[static_cast<std::size_t>(Depth ? Depth : 1)];
    float* const sums = Depth ? own : y;
    std::fill_n(sums, each, 0.0f);
    for (std::int64_t at = spans[i].begin; at < spans[i].end; ++at) {
      const float* const pixel = row + (axis.inside(at) - begin) * each;
      const float part = spans[i].part(at);
      for (std::int64_t c = 0; c < each; ++c) sums[c] += pixel[c] * part;
    }
    for (std::int64_t c = 0; c < each; ++c) y[c] = sums[c] * whole;
  }
}
inline void add_area_columns(const float* row, std::int64_t begin, const resize_axis& axis, const area_span* spans,
                             std::int64_t n, std::int64_t depth, float whole, float* y) {
  switch (depth) {
    case 1: return add_area_columns_of<1>(row, begin, axis, spans, n, depth, whole, y);
    case 3: return add_area_columns_of<3>(row, begin, axis, spans, n, depth, whole, y);
    case 4: return add_area_columns_of<4>(row, begin, axis, spans, n, depth, whole, y);
    default: return add_area_columns_of<0>(row, begin, axis, spans, n, depth, whole, y);
  }
}

using area_row_adder = void (*)(const void*, const resize_axis&, const area_span&, std::int64_t, std::int64_t, std::int64_t,
                                float*);

// Only `add_rows` depends on the element type.
inline void resize_area_rows(cpu ctx, const resize_sizes& s, const std::byte* x, std::size_t bytes_per_element,
                             area_row_adder add_rows, float* y) {
  constexpr std::int64_t columns_of_chunk = 128;
  const float whole = static_cast<float>(1.0 / static_cast<double>(s.rows.scale * s.columns.scale));
  const std::int64_t width = s.columns.from * s.depth, to_row = s.columns.to * s.depth;
  const std::size_t image_bytes = static_cast<std::size_t>(s.rows.from * width) * bytes_per_element;
  const std::int64_t work = width * (s.rows.from / s.rows.to + 1) + to_row;
  for_parts_of_rows(ctx, s.images * s.rows.to, work, [&](std::int64_t part, std::int64_t first, std::int64_t last) {
    area_span spans[columns_of_chunk];
    float* const sums = ctx.scratch<float>() + part * width;
    for (std::int64_t column = 0; column < s.columns.to; column += columns_of_chunk) {
      const std::int64_t n = std::min(columns_of_chunk, s.columns.to - column);
      for (std::int64_t i = 0; i < n; ++i) spans[i] = area_span(s.columns, column + i);
      const std::int64_t begin = s.columns.inside(spans[0].begin), end = s.columns.inside(spans[n - 1].end - 1) + 1;
      for (std::int64_t row = first; row < last; ++row) {
        const area_span rows(s.rows, row % s.rows.to);
        add_rows(x + static_cast<std::size_t>(row / s.rows.to) * image_bytes, s.rows, rows, width, begin * s.depth,
                 (end - begin) * s.depth, sums);
        add_area_columns(sums, begin, s.columns, spans, n, s.depth, whole, y + row * to_row + column * s.depth);
      }
    }
  });
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t detail::area_scratch(const shape& images) {
  return static_cast<std::size_t>(most_parts * images[2] * images[3]) * sizeof(float);
}

template <class T> void resize_area_op::operator()(cpu ctx, view<const T> x, view<const std::int32_t>, view<float> y) const {
  if (y.size() == 0) return;
  const detail::resize_sizes s = detail::resize_sizes_of({align_corners, false}, x.shape(), y.shape());
  detail::resize_area_rows(ctx, s, reinterpret_cast<const std::byte*>(x.data()), sizeof(T), &detail::add_area_rows<T>, y.data());
}

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
