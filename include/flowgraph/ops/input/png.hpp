#pragma once
// Decoding and encoding of PNG images.
//
//     auto pixels = fg::decode_png<std::uint8_t>(bytes, 3);    // {height, width, 3}
//     auto files = fg::png_files(images);                      // one for each image of {..., height, width, channels}

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Decodes a PNG file to pixels {height, width, channels}. The values are from 0 to 255, or from 0 to 65535. The channels are
// gray, colors, or colors and opacity. If `channels` is 0, the pixels have the channels of the file. Also decodes JPEG files, and GIF
// files with one frame.
struct decode_png_op {
  static constexpr std::string_view name = "DecodePng";
  using types = type_attrs<type_attr<"dtype", type_list<std::uint8_t, std::uint16_t>>>;
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t channels = 0;
  static constexpr auto attrs = flowgraph::attrs(attr("channels", &decode_png_op::channels));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& contents) const;
  template <class T> void operator()(cpu ctx, view<const std::string> contents, unsized<T> image) const;
};

// Encodes each image of {..., height, width, channels} as a PNG file. The channels are gray, gray and opacity, colors, or colors
// and opacity.
struct encode_png_op {
  static constexpr std::string_view name = "EncodePng";
  using types = type_list<std::uint8_t, std::uint16_t>;
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t compression = -1;
  static constexpr auto attrs = flowgraph::attrs(attr("compression", &encode_png_op::compression));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& images) const;
  template <class T> void operator()(cpu ctx, view<const T> images, view<std::string> contents) const;
};

using png_ops = type_list<decode_png_op, encode_png_op>;

// T is std::uint8_t or std::uint16_t.
template <class T> out<T> decode_png(const out<std::string>& contents, std::int64_t channels = 0, site s = {}) {
  decode_png_op op;
  op.channels = channels;
  return apply_as<T>(s, op, contents);
}

// `compression` is between 0 (none) and 9 (smallest files); -1 is zlib's default.
template <class T> out<std::string> png_files(const out<T>& images, std::int64_t compression = -1, site s = {}) {
  encode_png_op op;
  op.compression = compression;
  return apply(op, images, s);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/input/detail/png.hpp>
#endif
