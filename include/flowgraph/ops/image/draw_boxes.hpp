#pragma once
// Boxes that are drawn on images, for example to show the objects that a detector finds.
//
//   const auto y = fg::draw_bounding_boxes(images, boxes);  // boxes: [batch, n, 4]

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Draws the edges of boxes on images of 1, 3 or 4 channels, one pixel wide, in ten colors that repeat. A box is
// [y1, x1, y2, x2], where 0 is the first row or column of the image and 1 is the last.
struct draw_bounding_boxes_op {
  static constexpr std::string_view name = "DrawBoundingBoxes";
  using types = type_list<half, float>;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& images, const flowgraph::shape& boxes) const;
  template <class T> void operator()(cpu ctx, view<const T> images, view<const float> boxes, view<T> y) const;
};

// `boxes` has the shape [batch, n, 4]: n boxes for each image.
template <class T> out<T> draw_bounding_boxes(const out<T>& images, const out<float>& boxes, site s = {}) {
  return apply(draw_bounding_boxes_op{}, images, boxes, s);
}

using draw_box_ops = type_list<draw_bounding_boxes_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/image/detail/draw_boxes.hpp>
#endif
