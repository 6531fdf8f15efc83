#pragma once
// The shape rules of ops that resize images.

#include <flowgraph/op/shape_rule.hpp>
#include <flowgraph/ops/image/resize_attributes.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the shape of images that have at least one pixel, or an unknown shape after a failure.
shape images_of(shape_context& c, const shape& x, const char* what);
// Returns the shape of images after resizing. Input 1 contains the numbers of rows and columns.
shape resized_shape(shape_context& c, const shape& images, const shape& size);
shape resized_shape(shape_context& c, const resize_attributes& a, const shape& images, const shape& size);
// Returns the shape of the images before resizing, which are input 1. Input 0 is the gradient of the resized images.
shape resize_gradient_shape(shape_context& c, const resize_attributes& a, const shape& dy, const shape& x);
// Returns the same if input 1 contains the numbers of rows and columns.
shape sized_gradient_shape(shape_context& c, const shape& dy, const shape& size);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/image/impl/resize_rules.hpp>
#endif
