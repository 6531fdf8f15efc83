#pragma once

#include <flowgraph/ops/image/detail/image_reading.hpp>
#include <flowgraph/ops/image/jpeg.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline image_request jpeg_request(const decode_jpeg_attributes& a, image_op op) {
  image_request r{.op = op, .channels = a.channels};
  r.jpeg.ratio = static_cast<int>(a.ratio);
  r.jpeg.fancy_upscaling = a.fancy_upscaling;
  r.jpeg.recovers = a.try_recover_truncated;
  r.jpeg.is_accurate = a.dct_method == "INTEGER_ACCURATE";
  r.jpeg.acceptable_fraction = a.acceptable_fraction;
  return r;
}

inline void write_jpeg_image(cpu ctx, std::string_view op, image_library::jpeg_writing writing, view<const std::uint8_t> image,
                             view<std::string> contents) {
  const shape& s = image.shape();
  if (image_library::library == nullptr) return ctx.fail(without_image_library(op, "JPEG"));
  writing.pixels = image.data();
  writing.shape = {s[0], s[1], static_cast<int>(s[2])};
  if (s[0] <= 0 || s[1] <= 0 || s[0] > 65500 || s[1] > 65500)  // TensorFlow's error code
    return ctx.fail(error_code::internal, message{"a JPEG file has 1 to 65500 rows and columns, found ", s});
  std::string why;
  if (!image_library::library->write_jpeg(writing, contents.scalar(), why))
    ctx.fail(error_code::internal, message{op, ": ", why});
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::decoded_jpeg_shape(shape_context& c, const decode_jpeg_attributes& a,
                                                                        const shape& contents) {
  if (a.ratio != 1 && a.ratio != 2 && a.ratio != 4 && a.ratio != 8)
    return c.fail(message{"ratio must be 1, 2, 4 or 8, found ", a.ratio});
  if (!a.dct_method.empty() && a.dct_method != "INTEGER_FAST" && a.dct_method != "INTEGER_ACCURATE")
    return c.fail(message{"dct_method must be empty, INTEGER_FAST or INTEGER_ACCURATE, found '", a.dct_method, "'"});
  return decoded_image_shape(c, a.channels, contents);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::cropped_jpeg_shape(shape_context& c, const decode_jpeg_attributes& a,
                                                                        const shape& contents, const shape& window) {
  shape result = decoded_jpeg_shape(c, a, contents);
  if (c.failed()) return shape::unknown();
  if (!fits(window, shape{4})) return c.fail("crop_window must be {y, x, height, width}");
  const shape given = c.integers(1);
  if (given.rank != 4) return result;
  if (given[2] >= 0) result[0] = given[2];
  if (given[3] >= 0) result[1] = given[3];
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::extracted_jpeg_shape(shape_context& c, const shape& contents) {
  if (!fits(contents, {})) return c.fail("contents must be a scalar, the bytes of one file");
  return {3};
}

FLOWGRAPH_KERNEL_INLINE void decode_jpeg_op::operator()(cpu ctx, view<const std::string> contents,
                                                        unsized<std::uint8_t> image) const {
  detail::read_image(ctx, detail::jpeg_request(*this, detail::image_op::jpeg), contents, image);
}

FLOWGRAPH_KERNEL_INLINE void decode_and_crop_jpeg_op::operator()(cpu ctx, view<const std::string> contents,
                                                                 view<const std::int32_t> crop_window,
                                                                 unsized<std::uint8_t> image) const {
  detail::image_request r = detail::jpeg_request(*this, detail::image_op::crop);
  r.jpeg.crops = true;
  r.jpeg.y = crop_window[0], r.jpeg.x = crop_window[1], r.jpeg.height = crop_window[2], r.jpeg.width = crop_window[3];
  detail::read_image(ctx, r, contents, image);
}

template <class T> void extract_jpeg_shape_op::operator()(cpu ctx, view<const std::string> contents, view<T> image_shape) const {
  if (detail::image_library::library == nullptr) return ctx.fail(detail::without_image_library(name, "JPEG"));
  detail::image_library::jpeg_shape found;
  std::string why;
  if (!detail::image_library::library->read_jpeg_shape(contents.scalar(), found, why))
    return ctx.fail(detail::refused_image(name, why));
  image_shape[0] = static_cast<T>(found.height);
  image_shape[1] = static_cast<T>(found.width);
  image_shape[2] = static_cast<T>(found.channels);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::encoded_jpeg_shape(shape_context& c, const encode_jpeg_attributes& a,
                                                                        const shape& image) {
  if (!a.format.empty() && a.format != "grayscale" && a.format != "rgb")
    return c.fail(message{"format must be empty, grayscale or rgb, found '", a.format, "'"});
  if (a.quality < 0 || a.quality > 100) return c.fail(message{"quality must be from 0 to 100, found ", a.quality});
  if (a.density_unit != "in" && a.density_unit != "cm")
    return c.fail(message{"density_unit must be in or cm, found '", a.density_unit, "'"});
  if (!fits(image, shape::unknown_of_rank(3))) return c.fail("the image must be {height, width, channels}");
  if (!image.has_rank() || image[2] < 0) return {};
  if (image[2] != 1 && image[2] != 3) return c.fail(message{"the image must have 1 or 3 channels, found ", image[2]});
  if (!a.format.empty() && image[2] != (a.format == "rgb" ? 3 : 1))
    return c.fail(message{"the format ", a.format, " has ", a.format == "rgb" ? 3 : 1, " channels, found ", image[2]});
  return {};
}

FLOWGRAPH_KERNEL_INLINE void encode_jpeg_op::operator()(cpu ctx, view<const std::uint8_t> image,
                                                        view<std::string> contents) const {
  detail::image_library::jpeg_writing w;
  w.quality = static_cast<int>(quality);
  w.is_progressive = progressive, w.is_optimized = optimize_size, w.has_small_chroma = chroma_downsampling;
  w.density_unit = density_unit == "in" ? 1 : 2;
  w.x_density = static_cast<int>(x_density & 0xffff), w.y_density = static_cast<int>(y_density & 0xffff);
  w.xmp = xmp_metadata;
  detail::write_jpeg_image(ctx, name, w, image, contents);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape encode_jpeg_variable_quality_op::shape(shape_context& c,
                                                                                    const flowgraph::shape& images,
                                                                                    const flowgraph::shape& quality) const {
  if (!fits(quality, {})) return c.fail("quality must be a scalar");
  return detail::encoded_jpeg_shape(c, {}, images);
}

FLOWGRAPH_KERNEL_INLINE void encode_jpeg_variable_quality_op::operator()(cpu ctx, view<const std::uint8_t> images,
                                                                         view<const std::int32_t> quality,
                                                                         view<std::string> contents) const {
  detail::image_library::jpeg_writing w;
  w.quality = quality.scalar();
  if (w.quality < 0 || w.quality > 100) return ctx.fail(message{"quality must be from 0 to 100, found ", w.quality});
  detail::write_jpeg_image(ctx, name, w, images, contents);
}

}  // namespace flowgraph
