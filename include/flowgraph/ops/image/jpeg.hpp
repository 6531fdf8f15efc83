#pragma once
// Decoding and encoding of JPEG images. A program that runs these ops links flowgraph::images; without it they end in an error.
//
//     auto pixels = fg::decode_jpeg(bytes, {.channels = 3});  // {height, width, 3}
//     auto file = fg::encode_jpeg(image, {.quality = 80});    // of {height, width, 1 or 3}

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// How a JPEG file is decoded.
struct decode_jpeg_attributes {
  std::int64_t channels = 0;           // 1: gray, 3: RGB, 0: as in the file
  std::int64_t ratio = 1;              // the image is reduced by 1, 2, 4 or 8
  bool fancy_upscaling = true;         // colors are interpolated
  bool try_recover_truncated = false;  // missing rows repeat the row above them
  float acceptable_fraction = 1.0f;  // a truncated file with at least this fraction of its rows is accepted; the others are black
  std::string dct_method = {};       // INTEGER_ACCURATE, or INTEGER_FAST, which is the default
  static constexpr auto attrs =
      flowgraph::attrs(attr("channels", &decode_jpeg_attributes::channels), attr("ratio", &decode_jpeg_attributes::ratio),
                       attr("fancy_upscaling", &decode_jpeg_attributes::fancy_upscaling),
                       attr("try_recover_truncated", &decode_jpeg_attributes::try_recover_truncated),
                       attr("acceptable_fraction", &decode_jpeg_attributes::acceptable_fraction),
                       attr("dct_method", &decode_jpeg_attributes::dct_method));
};

namespace detail {

shape decoded_jpeg_shape(shape_context& c, const decode_jpeg_attributes& a, const shape& contents);
shape cropped_jpeg_shape(shape_context& c, const decode_jpeg_attributes& a, const shape& contents, const shape& window);
shape extracted_jpeg_shape(shape_context& c, const shape& contents);

}  // namespace detail

// Decodes a JPEG file to pixels {height, width, channels} from 0 to 255. Also decodes PNG files, and GIF files with one frame.
struct decode_jpeg_op : decode_jpeg_attributes {
  static constexpr std::string_view name = "DecodeJpeg";
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& contents) const {
    return detail::decoded_jpeg_shape(c, *this, contents);
  }
  void operator()(cpu ctx, view<const std::string> contents, unsized<std::uint8_t> image) const;
};

// Decodes a window of a JPEG file. The window is {y, x, height, width}, in pixels of the result of DecodeJpeg.
struct decode_and_crop_jpeg_op : decode_jpeg_attributes {
  static constexpr std::string_view name = "DecodeAndCropJpeg";
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& contents, const flowgraph::shape& crop_window) const {
    return detail::cropped_jpeg_shape(c, *this, contents, crop_window);
  }
  void operator()(cpu ctx, view<const std::string> contents, view<const std::int32_t> crop_window,
                  unsized<std::uint8_t> image) const;
};

// Returns {height, width, channels} of a JPEG file, and reads only its header.
struct extract_jpeg_shape_op {
  static constexpr std::string_view name = "ExtractJpegShape";
  using types = type_attrs<type_attr<"output_type", type_list<std::int32_t, std::int64_t>>>;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& contents) const {
    return detail::extracted_jpeg_shape(c, contents);
  }
  template <class T> void operator()(cpu ctx, view<const std::string> contents, view<T> image_shape) const;
};

// How a JPEG file is encoded.
struct encode_jpeg_attributes {
  std::string format = {};          // grayscale or rgb; empty: by the channels of the image
  std::int64_t quality = 95;        // 0 to 100
  bool progressive = false;         // a coarse image is first in the file
  bool optimize_size = false;       // a smaller file with the same pixels, which takes longer
  bool chroma_downsampling = true;  // colors have half the resolution
  std::string density_unit = "in";  // of x_density and y_density: in or cm
  std::int64_t x_density = 300, y_density = 300;
  std::string xmp_metadata = {};
  static constexpr auto attrs = flowgraph::attrs(
      attr("format", &encode_jpeg_attributes::format), attr("quality", &encode_jpeg_attributes::quality),
      attr("progressive", &encode_jpeg_attributes::progressive), attr("optimize_size", &encode_jpeg_attributes::optimize_size),
      attr("chroma_downsampling", &encode_jpeg_attributes::chroma_downsampling),
      attr("density_unit", &encode_jpeg_attributes::density_unit), attr("x_density", &encode_jpeg_attributes::x_density),
      attr("y_density", &encode_jpeg_attributes::y_density), attr("xmp_metadata", &encode_jpeg_attributes::xmp_metadata));
};

namespace detail {

shape encoded_jpeg_shape(shape_context& c, const encode_jpeg_attributes& a, const shape& image);

}  // namespace detail

// Encodes an image {height, width, 1 or 3} as a JPEG file.
struct encode_jpeg_op : encode_jpeg_attributes {
  static constexpr std::string_view name = "EncodeJpeg";
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& image) const {
    return detail::encoded_jpeg_shape(c, *this, image);
  }
  void operator()(cpu ctx, view<const std::uint8_t> image, view<std::string> contents) const;
};

// Encodes an image {height, width, 1 or 3} as a JPEG file with a quality that is computed, from 0 to 100.
struct encode_jpeg_variable_quality_op {
  static constexpr std::string_view name = "EncodeJpegVariableQuality";
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& images, const flowgraph::shape& quality) const;
  void operator()(cpu ctx, view<const std::uint8_t> images, view<const std::int32_t> quality, view<std::string> contents) const;
};

using jpeg_ops =
    type_list<decode_jpeg_op, decode_and_crop_jpeg_op, extract_jpeg_shape_op, encode_jpeg_op, encode_jpeg_variable_quality_op>;

// Returns the pixels {height, width, channels} of a JPEG file, which is a scalar. Also reads PNG files and GIF files with one frame.
inline out<std::uint8_t> decode_jpeg(const out<std::string>& contents, const decode_jpeg_attributes& options = {}, site s = {}) {
  return apply(decode_jpeg_op{options}, contents, s);
}

// Returns a window of a JPEG file, without decoding the rows below it. `crop_window` contains y, x, height and width.
inline out<std::uint8_t> decode_and_crop_jpeg(const out<std::string>& contents, const out<std::int32_t>& crop_window,
                                              const decode_jpeg_attributes& options = {}, site s = {}) {
  return apply(decode_and_crop_jpeg_op{options}, contents, crop_window, s);
}

// Returns {height, width, channels} of a JPEG file. T is std::int32_t or std::int64_t.
template <class T = std::int32_t> out<T> jpeg_shape(const out<std::string>& contents, site s = {}) {
  return apply_as<T>(s, extract_jpeg_shape_op{}, contents);
}

// Returns an image {height, width, 1 or 3} as a JPEG file.
inline out<std::string> encode_jpeg(const out<std::uint8_t>& image, const encode_jpeg_attributes& options = {}, site s = {}) {
  return apply(encode_jpeg_op{options}, image, s);
}
// As above, with a quality that is computed, from 0 to 100.
inline out<std::string> encode_jpeg(const out<std::uint8_t>& image, const out<std::int32_t>& quality, site s = {}) {
  return apply(encode_jpeg_variable_quality_op{}, image, quality, s);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/image/detail/jpeg.hpp>
#endif
