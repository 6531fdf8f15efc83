#pragma once

#include <flowgraph/formats/png.hpp>
#include <flowgraph/ops/image/detail/image_reading.hpp>
#include <flowgraph/ops/input/png.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_KERNEL_INLINE shape decode_png_op::shape(shape_context& c, const flowgraph::shape& contents) const {
  return detail::decoded_image_shape(c, channels, contents);
}

template <class T> void decode_png_op::operator()(cpu ctx, view<const std::string> contents, unsized<T> image) const {
  detail::read_image(ctx, {.op = detail::image_op::png, .channels = channels}, contents, image);
}

FLOWGRAPH_KERNEL_INLINE shape encode_png_op::shape(shape_context& c, const flowgraph::shape& images) const {
  if (!images.has_rank()) return flowgraph::shape::unknown();
  if (images.rank < 3) return c.fail(message{"images must be {..., height, width, channels}, found ", images});
  return flowgraph::shape::of(images.begin(), images.rank - 3);
}

template <class T> void encode_png_op::operator()(cpu ctx, view<const T> images, view<std::string> contents) const {
  const flowgraph::shape& s = images.shape();
  const png_size size{.width = s[-2], .height = s[-3], .channels = static_cast<int>(std::min<std::int64_t>(s[-1], 5))};
  const auto pixels = static_cast<std::size_t>(s[-3] * s[-2] * s[-1]);
  const auto level = static_cast<int>(std::clamp<std::int64_t>(compression, -2, 10));
  if (contents.size() > 0 && size.channels >= 1 && size.channels <= 4 && pixels == 0)  // TensorFlow's error code
    return ctx.fail(error_code::internal, message{"images must have pixels, found ", s});
  for (std::size_t i = 0; i < contents.size(); ++i) {
    auto file = flowgraph::encode_png(std::span<const T>(images.data() + i * pixels, pixels), size, level);
    if (!file) return ctx.fail(file.error());
    contents[i] = *std::move(file);
  }
}

}  // namespace flowgraph
