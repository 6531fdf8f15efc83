#pragma once
// Images from PNG files and into them.
//
//     auto pixels = fg::decode_png<std::uint8_t>(bytes, 3);    // {height, width, 3}
//     auto files = fg::png_files(images);                      // one for each image of {..., height, width, channels}

#include <flowgraph/graph/apply.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// The pixels of a PNG file, 0 to 255 or to 65535, as {height, width, channels}: gray, colours, or colours and opacity; 0 channels
// stand for those that the file has.
struct decode_png_op {
  static constexpr std::string_view name = "DecodePng";
  using types = type_attrs<type_attr<"dtype", type_list<std::uint8_t, std::uint16_t>>>;
  static constexpr bool not_differentiable = true;
  std::int64_t channels = 0;
  static constexpr auto attrs = flowgraph::attrs(attr("channels", &decode_png_op::channels));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& contents) const;
  template <class T> void operator()(cpu ctx, view<const std::string> contents, unsized<T> image) const;
};

// A PNG file of each image of {..., height, width, channels}: gray, gray and opacity, colours, or colours and opacity.
struct encode_png_op {
  static constexpr std::string_view name = "EncodePng";
  using types = type_list<std::uint8_t, std::uint16_t>;
  static constexpr bool not_differentiable = true;
  std::int64_t compression = -1;
  static constexpr auto attrs = flowgraph::attrs(attr("compression", &encode_png_op::compression));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& images) const;
  template <class T> void operator()(cpu ctx, view<const T> images, view<std::string> contents) const;
};

using png_ops = type_list<decode_png_op, encode_png_op>;

// The pixels of a PNG file as {height, width, channels}; 0 channels: those that the file has.
template <class T> out<T> decode_png(const out<std::string>& contents, std::int64_t channels = 0, site s = {}) {
  decode_png_op op;
  op.channels = channels;
  return apply_as<T>(s, op, contents);
}

// A PNG file of each image. `compression`: from 0, none, to 9, the smallest files; -1: zlib's choice.
template <class T> out<std::string> png_files(const out<T>& images, std::int64_t compression = -1, site s = {}) {
  encode_png_op op;
  op.compression = compression;
  return apply(op, images, s);
}

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/input/detail/png.hpp>
#endif
