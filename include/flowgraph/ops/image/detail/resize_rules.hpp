#pragma once
// The attributes and the shape rules of ops that resize images.

#include <flowgraph/op/attribute.hpp>
#include <flowgraph/op/shape_rule.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// The points of a pixel grid that correspond when images are resized.
struct resize_attributes {
  bool align_corners = false;       // true: the centers of the corner pixels keep their places
  bool half_pixel_centers = false;  // true: a pixel is at its center, not at its upper left corner
  static constexpr auto attrs = flowgraph::attrs(attr("align_corners", &resize_attributes::align_corners),
                                                 attr("half_pixel_centers", &resize_attributes::half_pixel_centers));
};

namespace detail {

// The shape of images after resizing. Input 1 contains the numbers of rows and columns.
shape resized_shape(shape_context& c, const shape& images, const shape& size);
shape resized_shape(shape_context& c, const resize_attributes& a, const shape& images, const shape& size);
// The shape of the images before resizing, which are input 1. Input 0 is the gradient of the resized images.
shape resize_gradient_shape(shape_context& c, const resize_attributes& a, const shape& dy, const shape& x);
// The same, where input 1 contains the numbers of rows and columns.
shape sized_gradient_shape(shape_context& c, const shape& dy, const shape& size);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/image/impl/resize_rules.hpp>
#endif
