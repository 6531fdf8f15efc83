#pragma once

#include <flowgraph/ops/image/detail/resize_axis.hpp>
#include <flowgraph/ops/image/resize_area.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// The pixels [begin, end) of an axis that pixel i of the resized images covers at least in part. Some may be outside of the axis.
struct area_span {
  float first, last;
  std::int64_t begin, end;
  float scale;

  area_span(const resize_axis& axis, std::int64_t i)
      : first(static_cast<float>(i) * axis.scale), last(static_cast<float>(i + 1) * axis.scale),
        begin(static_cast<std::int64_t>(std::floor(first))), end(static_cast<std::int64_t>(std::ceil(last))), scale(axis.scale) {}

  // The covered part of pixel `at`.
  float part(std::int64_t at) const {
    const auto low = static_cast<float>(at), high = static_cast<float>(at + 1);
    if (low < first) return high > last ? scale : high - first;
    return high > last ? last - low : 1.0f;
  }
};

inline constexpr std::int64_t area_channels = 64;  // that are summed together

// Adds up `n` channels of a row, weighted by the covered parts of its pixels. `row` begins at the first channel.
template <class T>
void sum_area_columns(const T* row, const resize_axis& axis, const area_span& span, std::int64_t depth, std::int64_t n,
                      float* sums) {
  const auto add = [&](std::int64_t at, float part) {
    const T* const from = row + axis.inside(at) * depth;
    for (std::int64_t c = 0; c < n; ++c) sums[c] += static_cast<float>(from[c]) * part;
  };
  std::fill_n(sums, n, 0.0f);
  add(span.begin, span.part(span.begin));
  if (span.begin + 1 == span.end) return;
  for (std::int64_t at = span.begin + 1; at < span.end - 1; ++at) add(at, 1.0f);
  add(span.end - 1, span.part(span.end - 1));
}

}  // namespace detail

template <class T> void resize_area_op::operator()(cpu ctx, view<const T> x, view<const std::int32_t>, view<float> y) const {
  if (y.size() == 0) return;
  const detail::resize_sizes s = detail::resize_sizes_of({align_corners, false}, x.shape(), y.shape());
  const float whole = static_cast<float>(1.0 / static_cast<double>(s.rows.scale * s.columns.scale));
  const std::int64_t from_row = s.columns.from * s.depth;
  const std::int64_t work = from_row * (s.rows.from / s.rows.to + 1) + s.columns.to * s.depth;
  detail::for_parts_of_rows(ctx, s.images * s.rows.to, work, [&](std::int64_t, std::int64_t first, std::int64_t last) {
    float total[detail::area_channels], sums[detail::area_channels];
    for (std::int64_t row = first; row < last; ++row) {
      const detail::area_span rows(s.rows, row % s.rows.to);
      const T* const image = x.data() + row / s.rows.to * s.rows.from * from_row;
      for (std::int64_t column = 0; column < s.columns.to; ++column) {
        const detail::area_span columns(s.columns, column);
        for (std::int64_t c = 0; c < s.depth; c += detail::area_channels) {
          const std::int64_t n = std::min(detail::area_channels, s.depth - c);
          std::fill_n(total, n, 0.0f);
          for (std::int64_t at = rows.begin; at < rows.end; ++at) {
            const float part = rows.part(at);
            detail::sum_area_columns(image + s.rows.inside(at) * from_row + c, s.columns, columns, s.depth, n, sums);
            for (std::int64_t i = 0; i < n; ++i) total[i] += sums[i] * part;
          }
          float* const to = y.data() + (row * s.columns.to + column) * s.depth + c;
          for (std::int64_t i = 0; i < n; ++i) to[i] = total[i] * whole;
        }
      }
    }
  });
}

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
