#pragma once

#include <flowgraph/ops/image/draw_boxes.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape draw_bounding_boxes_op::shape(shape_context& c, const flowgraph::shape& images,
                                                                           const flowgraph::shape& boxes) const {
  const flowgraph::shape four = flowgraph::shape::unknown_of_rank(4);
  if (!fits(images, four)) return c.fail("images must have four axes");
  if (!fits(boxes, flowgraph::shape{any, any, 4})) return c.fail("boxes must have three axes, and four columns");
  flowgraph::shape result = merged(images, four);
  if (result[3] >= 0 && result[3] != 1 && result[3] != 3 && result[3] != 4) return c.fail("images must have 1, 3 or 4 channels");
  if (boxes.has_rank()) {
    if (!fits(flowgraph::shape{result[0]}, flowgraph::shape{boxes[0]})) return c.fail("there must be boxes for each image");
    if (result[0] < 0) result[0] = boxes[0];
  }
  return result;
}

namespace detail {

// Yellow, blue, red, lime, purple, olive, maroon, navy blue, aqua and fuchsia.
inline constexpr float box_colors[10][4] = {{1, 1, 0, 1},       {0, 0, 1, 1},       {1, 0, 0, 1},    {0, 1, 0, 1},
                                            {0.5f, 0, 0.5f, 1}, {0.5f, 0.5f, 0, 1}, {0.5f, 0, 0, 1}, {0, 0, 0.5f, 1},
                                            {0, 1, 1, 1},       {1, 0, 1, 1}};

// The rows or columns of two edges.
struct edge_pair {
  std::int64_t first, last, extent;

  edge_pair(float from, float to, std::int64_t pixels) : first(at(from, pixels)), last(at(to, pixels)), extent(pixels) {}
  static std::int64_t at(float place, std::int64_t pixels) {
    const float scaled = place * static_cast<float>(pixels - 1);
    // These places are outside of every image. NaN becomes -2.
    return scaled > -1e9f && scaled < 1e9f ? static_cast<std::int64_t>(scaled) : scaled > 0 ? std::int64_t{1} << 40 : -2;
  }
  bool is_visible() const { return first <= last && first < extent && last >= 0; }
  std::int64_t begin() const { return std::max<std::int64_t>(first, 0); }
  std::int64_t end() const { return std::min(last, extent - 1) + 1; }
};

template <class T> void draw_box(const float* box, const float* color, const shape& images, T* image) {
  const edge_pair rows(box[0], box[2], images[1]), columns(box[1], box[3], images[2]);
  if (!rows.is_visible() || !columns.is_visible()) return;
  const std::int64_t depth = images[3];
  const auto draw = [&](std::int64_t row, std::int64_t column) {
    T* const pixel = image + (row * images[2] + column) * depth;
    for (std::int64_t c = 0; c < depth; ++c) pixel[c] = T(depth == 1 ? 1.0f : color[c]);
  };
  for (const std::int64_t row : {rows.first, rows.last})
    if (row >= 0 && row < images[1])
      for (std::int64_t column = columns.begin(); column < columns.end(); ++column) draw(row, column);
  for (const std::int64_t column : {columns.first, columns.last})
    if (column >= 0 && column < images[2])
      for (std::int64_t row = rows.begin(); row < rows.end(); ++row) draw(row, column);
}

}  // namespace detail

template <class T>
void draw_bounding_boxes_op::operator()(cpu ctx, view<const T> images, view<const float> boxes, view<T> y) const {
  if (y.size() == 0) return;
  const std::int64_t size = static_cast<std::int64_t>(y.size()) / y.dim(0), count = boxes.dim(1);
  ctx.parallel_ranges(y.dim(0), std::max<std::int64_t>(1, (1 << 14) / size), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      T* const to = y.data() + i * size;
      if (to != images.data() + i * size) std::copy_n(images.data() + i * size, size, to);
      for (std::int64_t k = 0; k < count; ++k)
        detail::draw_box(boxes.data() + (i * count + k) * 4, detail::box_colors[k % 10], y.shape(), to);
    }
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
