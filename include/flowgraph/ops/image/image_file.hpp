#pragma once
// Decoding of GIF, BMP and any other image files. GIF and JPEG files need flowgraph::images; without it they end in an error.
//
//     auto pixels = fg::decode_image<float>(bytes, {.channels = 3, .expand_animations = false});  // {height, width, 3}, from 0 to 1
//     auto frames = fg::decode_gif(bytes);                                                        // {frames, height, width, 3}

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Sets the largest size of images that this program decodes. A file with `most` numbers (frames * height * width * channels) or more is
// refused before memory is taken for its pixels. The default is 2^29, as in TensorFlow. BMP and PNG files also have limits of their
// own.
void limit_images(std::int64_t most);

// Decodes a GIF file to pixels {frames, height, width, 3} from 0 to 255. Also decodes JPEG and PNG files, as one frame.
struct decode_gif_op {
  static constexpr std::string_view name = "DecodeGif";
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& contents) const;
  void operator()(cpu ctx, view<const std::string> contents, unsized<std::uint8_t> image) const;
};

// Decodes a BMP file with 8, 24 or 32 bits per pixel to pixels {height, width, channels} from 0 to 255. If `channels` is 0, the pixels
// have the channels of the file.
struct decode_bmp_op {
  static constexpr std::string_view name = "DecodeBmp";
  static constexpr op_facts facts{.not_differentiable = true};
  std::int64_t channels = 0;
  static constexpr auto attrs = flowgraph::attrs(attr("channels", &decode_bmp_op::channels));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& contents) const;
  void operator()(cpu ctx, view<const std::string> contents, unsized<std::uint8_t> image) const;
};

// What DecodeImage returns.
struct decode_image_attributes {
  std::int64_t channels = 0;      // 0: as in the file; 1, 3 or 4 if the format supports this
  bool expand_animations = true;  // a GIF file is {frames, height, width, 3}; false: only the first frame, without this axis
  static constexpr auto attrs = flowgraph::attrs(attr("channels", &decode_image_attributes::channels),
                                                 attr("expand_animations", &decode_image_attributes::expand_animations));
};

// Decodes a JPEG, PNG, GIF or BMP file, which its first bytes tell apart. Pixels of floats are from 0 to 1.
struct decode_image_op : decode_image_attributes {
  static constexpr std::string_view name = "DecodeImage";
  using types = type_attrs<type_attr<"dtype", type_list<std::uint8_t, std::uint16_t, float>>>;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& contents) const;
  template <class T> void operator()(cpu ctx, view<const std::string> contents, unsized<T> image) const;
};

using image_file_ops = type_list<decode_gif_op, decode_bmp_op, decode_image_op>;

// Returns the pixels {frames, height, width, 3} of a GIF file, which is a scalar. Also reads JPEG and PNG files, as one frame.
inline out<std::uint8_t> decode_gif(const out<std::string>& contents, site s = {}) { return apply(decode_gif_op{}, contents, s); }

// Returns the pixels {height, width, channels} of a BMP file. `channels` is 3 or 4, or 0 for those of the file.
inline out<std::uint8_t> decode_bmp(const out<std::string>& contents, std::int64_t channels = 0, site s = {}) {
  decode_bmp_op op;
  op.channels = channels;
  return apply(op, contents, s);
}

// Returns the pixels of a JPEG, PNG, GIF or BMP file. T is std::uint8_t (0 to 255), std::uint16_t (0 to 65535) or float (0 to 1).
template <class T>
out<T> decode_image(const out<std::string>& contents, const decode_image_attributes& options = {}, site s = {}) {
  return apply_as<T>(s, decode_image_op{options}, contents);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/image/detail/image_file.hpp>
#endif
