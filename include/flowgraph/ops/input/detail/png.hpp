#pragma once

#include <flowgraph/formats/png_reader.hpp>
#include <flowgraph/ops/input/png.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// An error where the bytes are those of another kind of image.
FLOWGRAPH_KERNEL_INLINE error check_kind_of_image(std::string_view bytes) {
  for (const auto& [begin, kind] : {std::pair<std::string_view, std::string_view>{"\xff\xd8\xff", "JPEG"}, {"GIF8", "GIF"}})
    if (bytes.starts_with(begin))
      return error(error_code::unimplemented,
                   message{"the bytes are a ", kind, " file: flowgraph reads images from PNG files alone"});
  return {};
}

}  // namespace detail

FLOWGRAPH_KERNEL_INLINE shape decode_png_op::shape(shape_context& c, const flowgraph::shape& contents) const {
  if (channels != 0 && channels != 1 && channels != 3 && channels != 4)
    return c.fail(message{"channels must be 0, 1, 3 or 4, found ", channels});
  if (!fits(contents, {})) return c.fail("contents must be a scalar, the bytes of one file");
  return {any, any, channels == 0 ? -1 : channels};
}

template <class T> void decode_png_op::operator()(cpu ctx, view<const std::string> contents, unsized<T> image) const {
  const std::string& file = contents.scalar();
  if (error why = detail::check_kind_of_image(file)) return ctx.fail(why);
  const auto size = png_size_of(file, static_cast<int>(channels));
  if (!size) return ctx.fail(size.error());
  const view<T> pixels = image.resize({size->height, size->width, size->channels});
  if (ctx.failed()) return;
  if (auto read = read_png(file, size->channels, std::span<T>(pixels.data(), pixels.size())); !read) ctx.fail(read.error());
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
  if (contents.size() > 0 && size.channels >= 1 && size.channels <= 4 && pixels == 0)  // TensorFlow's code
    return ctx.fail(error_code::internal, message{"images must have pixels, found ", s});
  for (std::size_t i = 0; i < contents.size(); ++i) {
    auto file = flowgraph::encode_png(std::span<const T>(images.data() + i * pixels, pixels), size, level);
    if (!file) return ctx.fail(file.error());
    contents[i] = *std::move(file);
  }
}

}
}  // namespace flowgraph
