#pragma once

#include <flowgraph/ops/image/detail/resize_rules.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_SELDOM shape images_of(shape_context& c, const shape& x, const char* what) {
  const shape four = shape::unknown_of_rank(4);
  if (!fits(x, four)) return c.fail(message{what, " must have four axes"});
  const shape images = merged(x, four);
  if (images[1] == 0 || images[2] == 0) return c.fail(message{what, " must have at least one row and one column"});
  return images;
}

FLOWGRAPH_SELDOM bool are_compatible(shape_context& c, const resize_attributes& a) {
  if (!a.half_pixel_centers || !a.align_corners) return true;
  return fail_check(c, "align_corners must be false if half_pixel_centers is true");
}

// Returns the rows and columns that input 1 contains; -1 if they are not known.
FLOWGRAPH_SELDOM shape given_size(shape_context& c, const shape& size) {
  const shape given = vector_of_integers(c, 1, size, "size", 2);
  if (c.failed() || given.rank != 2) return shape::unknown_of_rank(2);
  if (given[0] <= 0 || given[1] <= 0) c.fail(message{"size must be positive, found ", given});
  return given;
}

FLOWGRAPH_INLINE shape resized_shape(shape_context& c, const shape& x, const shape& size) {
  shape result = images_of(c, x, "images");
  if (c.failed()) return shape::unknown();
  if (result[3] == 0) return c.fail("images must have at least one channel");
  const shape given = given_size(c, size);
  if (c.failed()) return shape::unknown();
  result[1] = given[0];
  result[2] = given[1];
  return result;
}

FLOWGRAPH_INLINE shape resized_shape(shape_context& c, const resize_attributes& a, const shape& x, const shape& size) {
  return are_compatible(c, a) ? resized_shape(c, x, size) : shape::unknown();
}

FLOWGRAPH_INLINE shape resize_gradient_shape(shape_context& c, const resize_attributes& a, const shape& dy, const shape& x) {
  if (!are_compatible(c, a)) return shape::unknown();
  const shape slopes = images_of(c, dy, "grads");
  if (c.failed()) return shape::unknown();
  shape result = images_of(c, x, "original_image");
  if (c.failed()) return shape::unknown();
  // As in TensorFlow, the gradient determines these extents.
  result[0] = slopes[0];
  result[3] = slopes[3];
  return result;
}

FLOWGRAPH_INLINE shape sized_gradient_shape(shape_context& c, const shape& dy, const shape& size) {
  shape result = merged(dy, shape::unknown_of_rank(4));
  if (!fits(dy, shape::unknown_of_rank(4))) return c.fail("grads must have four axes");
  const shape given = given_size(c, size);
  if (c.failed()) return shape::unknown();
  result[1] = given[0];
  result[2] = given[1];
  return result;
}

}  // namespace flowgraph::detail
