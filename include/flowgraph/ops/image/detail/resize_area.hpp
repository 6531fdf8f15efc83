#pragma once

#include <flowgraph/ops/image/detail/weighted_spans.hpp>
#include <flowgraph/ops/image/resize_area.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The pixels of an axis that a pixel of the resized images covers, weighted by the covered parts.
struct area_spans {
  resize_axis axis;
  std::int64_t sources() const { return axis.from; }
  std::int64_t results() const { return axis.to; }

  // If an area extends beyond the axis, the last pixel of the axis is repeated.
  pixel_span find(std::int64_t i, float* weights) const {
    const float first = static_cast<float>(i) * axis.scale, last = static_cast<float>(i + 1) * axis.scale;
    const auto begin = static_cast<std::int64_t>(std::floor(first)), end = static_cast<std::int64_t>(std::ceil(last));
    const pixel_span s{axis.inside(begin), std::max(axis.inside(end - 1), axis.inside(begin)) + 1};
    std::fill_n(weights, s.end - s.begin, 0.0f);
    for (std::int64_t at = begin; at < end; ++at) {
      const auto low = static_cast<float>(at), high = static_cast<float>(at + 1);
      weights[axis.inside(at) - s.begin] += low < first   ? (high > last ? axis.scale : high - first)
                                            : high > last ? last - low
                                                          : 1.0f;
    }
    return s;
  }
};

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t detail::area_scratch(const shape& images) {
  return static_cast<std::size_t>(span_floats_of_parts(images)) * sizeof(float);
}

template <class T> void resize_area_op::operator()(cpu ctx, view<const T> x, view<const std::int32_t>, view<float> y) const {
  if (y.size() == 0) return;
  const detail::resize_sizes s = detail::resize_sizes_of({align_corners, false}, x.shape(), y.shape());
  const float whole = static_cast<float>(1.0 / static_cast<double>(s.rows.scale * s.columns.scale));
  detail::sum_spans(ctx, detail::area_spans{s.rows}, detail::area_spans{s.columns}, s.images, s.depth,
                    detail::span_sources::of(x.data()), whole, ctx.scratch<float>(), y.data());
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
