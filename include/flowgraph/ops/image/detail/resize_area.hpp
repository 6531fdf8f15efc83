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

inline constexpr std::int64_t area_channels = 64;  // that are summed together

// Adds up `n` channels of a row, weighted by the covered parts of its pixels, and adds the sums times `part` to `total`. `row` begins
// at the first channel. If Depth is not 0, it is the number of channels.
template <std::int64_t Depth, class T>
void add_area_row(const T* row, const resize_axis& axis, const area_span& span, std::int64_t depth, std::int64_t n, float part,
                  float* total) {
  const std::int64_t each = Depth ? Depth : n, step = Depth ? Depth : depth;
  float sums[Depth ? Depth : area_channels] = {};
  const auto add = [&](const T* from, float share) {
    for (std::int64_t c = 0; c < each; ++c) sums[c] += static_cast<float>(from[c]) * share;
  };
  add(row + axis.inside(span.begin) * step, span.first_part);
  if (span.begin + 1 != span.end) {
    const T* from = row + (span.begin + 1) * step;
    std::int64_t at = span.begin + 1;
    for (const std::int64_t end = std::min(span.end - 1, axis.from); at < end; ++at, from += step) add(from, 1.0f);
    for (; at < span.end - 1; ++at) add(row + axis.inside(at) * step, 1.0f);
    add(row + axis.inside(span.end - 1) * step, span.last_part);
  }
  for (std::int64_t c = 0; c < each; ++c) total[c] += sums[c] * part;
}

// One row of the result, from an image. `whole` is 1 divided by the covered area.
template <std::int64_t Depth, class T>
void resize_area_row(const T* image, const resize_sizes& s, std::int64_t row, float whole, float* y) {
  const area_span rows(s.rows, row);
  const std::int64_t from_row = s.columns.from * s.depth;
  for (std::int64_t column = 0; column < s.columns.to; ++column, y += s.depth) {
    const area_span columns(s.columns, column);
    for (std::int64_t c = 0; c < s.depth; c += area_channels) {
      const std::int64_t n = Depth ? Depth : std::min(area_channels, s.depth - c);
      float total[Depth ? Depth : area_channels] = {};
      for (std::int64_t at = rows.begin; at < rows.end; ++at)
        add_area_row<Depth>(image + s.rows.inside(at) * from_row + c, s.columns, columns, s.depth, n, rows.part(at), total);
      for (std::int64_t i = 0; i < n; ++i) y[c + i] = total[i] * whole;
    }
  }
}

template <class T> auto area_row_resizer(std::int64_t depth) {
  switch (depth) {
    case 1: return &resize_area_row<1, T>;
    case 3: return &resize_area_row<3, T>;
    case 4: return &resize_area_row<4, T>;
    default: return &resize_area_row<0, T>;
  }
}

}  // namespace detail

template <class T> void resize_area_op::operator()(cpu ctx, view<const T> x, view<const std::int32_t>, view<float> y) const {
  if (y.size() == 0) return;
  const detail::resize_sizes s = detail::resize_sizes_of({align_corners, false}, x.shape(), y.shape());
  const float whole = static_cast<float>(1.0 / static_cast<double>(s.rows.scale * s.columns.scale));
  const std::int64_t from_row = s.columns.from * s.depth, to_row = s.columns.to * s.depth;
  const auto resize_row = detail::area_row_resizer<T>(s.depth);
  const std::int64_t work = from_row * (s.rows.from / s.rows.to + 1) + to_row;
  detail::for_parts_of_rows(ctx, s.images * s.rows.to, work, [&](std::int64_t, std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row)
      resize_row(x.data() + row / s.rows.to * s.rows.from * from_row, s, row % s.rows.to, whole, y.data() + row * to_row);
  });
}

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
