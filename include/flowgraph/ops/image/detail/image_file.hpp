#pragma once

#include <flowgraph/ops/image/detail/image_reading.hpp>
#include <flowgraph/ops/image/image_file.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_KERNEL_INLINE void limit_images(std::int64_t most) {
  detail::most_image_numbers.store(most, std::memory_order_relaxed);
}

FLOWGRAPH_KERNEL_INLINE shape decode_gif_op::shape(shape_context& c, const flowgraph::shape& contents) const {
  if (!fits(contents, {})) return c.fail("contents must be a scalar, the bytes of one file");
  return {any, any, any, 3};
}
FLOWGRAPH_KERNEL_INLINE void decode_gif_op::operator()(cpu ctx, view<const std::string> contents,
                                                       unsized<std::uint8_t> image) const {
  detail::read_image(ctx, {.op = detail::image_op::gif, .channels = 3}, contents, image);
}

FLOWGRAPH_KERNEL_INLINE shape decode_bmp_op::shape(shape_context& c, const flowgraph::shape& contents) const {
  return detail::decoded_image_shape(c, channels, contents);
}
FLOWGRAPH_KERNEL_INLINE void decode_bmp_op::operator()(cpu ctx, view<const std::string> contents,
                                                       unsized<std::uint8_t> image) const {
  detail::read_image(ctx, {.op = detail::image_op::bmp, .channels = channels}, contents, image);
}

FLOWGRAPH_KERNEL_INLINE shape decode_image_op::shape(shape_context& c, const flowgraph::shape& contents) const {
  const flowgraph::shape image = detail::decoded_image_shape(c, channels, contents);
  return expand_animations && !c.failed() ? flowgraph::shape::unknown() : image;
}
template <class T> void decode_image_op::operator()(cpu ctx, view<const std::string> contents, unsized<T> image) const {
  detail::read_image(ctx, {.op = detail::image_op::image, .channels = channels, .expands = expand_animations}, contents, image);
}

}  // namespace flowgraph
