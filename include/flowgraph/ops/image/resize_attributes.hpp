#pragma once
// The attributes of ResizeBilinear, ResizeBicubic and ResizeNearestNeighbor.
//
//   const auto y = fg::resize_bilinear(images, {224, 224}, {.half_pixel_centers = true});

#include <flowgraph/op/attribute.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The correspondence of pixels if `from` pixels are resized to `to` pixels. If both attributes are false, pixel i of the result
// is at i * from / to in the original images. At most one attribute may be true.
struct resize_attributes {
  bool align_corners = false;       // true: the centers of the corner pixels keep their places
  bool half_pixel_centers = false;  // true: the place of a pixel is its center, not its upper left corner
  static constexpr auto attrs = flowgraph::attrs(attr("align_corners", &resize_attributes::align_corners),
                                                 attr("half_pixel_centers", &resize_attributes::half_pixel_centers));
};

}  // namespace flowgraph
