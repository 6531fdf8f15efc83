#pragma once
// Shared by the ops that decode images: each op reads files of several formats.

#include <flowgraph/formats/detail/bmp_file.hpp>
#include <flowgraph/formats/detail/image_library.hpp>
#include <flowgraph/formats/png_reader.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/op/shape_rule.hpp>

#include <algorithm>
#include <atomic>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

namespace image_library = flowgraph_images_1;

// A file with this many numbers (frames * height * width * channels) or more is refused. limit_images sets the limit.
inline constinit std::atomic<std::int64_t> most_image_numbers{std::int64_t{1} << 29};

enum class image_op : std::uint8_t { jpeg, crop, png, gif, bmp, image };

struct image_request {
  image_op op = image_op::image;
  std::int64_t channels = 0;
  bool expands = true;                    // DecodeImage: all frames of a GIF file
  image_library::jpeg_reading jpeg = {};  // its file, its channels and its limit are set later

  std::string_view name() const {
    constexpr std::string_view names[] = {"DecodeJpeg", "DecodeAndCropJpeg", "DecodePng",
                                          "DecodeGif",  "DecodeBmp",         "DecodeImage"};
    return names[static_cast<std::size_t>(op)];
  }
  // Returns whether the result has an axis of frames.
  bool has_frames(bool is_gif) const { return op == image_op::gif || (op == image_op::image && is_gif && expands); }
};

FLOWGRAPH_COLD inline error without_image_library(std::string_view op, std::string_view format) {
  return error(error_code::unimplemented,
               message{op, ": ", format,
                       " files need flowgraph::images, which needs libjpeg and giflib, and the program does not link it"});
}
FLOWGRAPH_COLD inline error refused_image(std::string_view op, std::string_view why) { return invalid_argument({op, ": ", why}); }
// Returns an error: the op cannot read this format, although other ops can.
FLOWGRAPH_COLD inline error wrong_image_op(std::string_view op, std::string_view found, std::string_view expected) {
  return invalid_argument({op, ": the bytes are a ", found, " file, expected ", expected});
}

// The memory of an output, for functions that write one byte per number. Other types of numbers are converted at the end.
template <class T> class image_output {
public:
  image_output(cpu ctx, unsized<T> image, bool has_frames) : ctx_(ctx), image_(image), has_frames_(has_frames) {}

  bool resize(std::int64_t frames, std::int64_t height, std::int64_t width, int channels) {
    const std::int64_t c = channels;
    numbers_ = image_.resize(has_frames_ ? shape{frames, height, width, c} : shape{height, width, c});
    return !ctx_.failed();
  }
  std::span<T> numbers() const { return {numbers_.data(), numbers_.size()}; }

  image_library::pixel_memory memory() {
    return {this, [](void* self, std::int64_t frames, std::int64_t height, std::int64_t width, int channels) -> std::uint8_t* {
              auto& to = *static_cast<image_output*>(self);
              return to.resize(frames, height, width, channels) ? to.bytes() : nullptr;
            }};
  }
  std::uint8_t* bytes() {
    if constexpr (sizeof(T) == 1) return numbers_.data();
    else {
      bytes_.resize(numbers_.size());
      return bytes_.data();
    }
  }
  // 255 is 65280 as a number of 16 bits, and 1 as a float, as in TensorFlow.
  void convert() {
    if constexpr (sizeof(T) == 2)
      std::transform(bytes_.begin(), bytes_.end(), numbers_.begin(), [](int v) { return static_cast<T>(v << 8); });
    if constexpr (sizeof(T) == 4) {
      constexpr T scale = T(1) / T(255);
      std::transform(bytes_.begin(), bytes_.end(), numbers_.begin(), [](std::uint8_t v) { return static_cast<T>(v) * scale; });
    }
  }

private:
  cpu ctx_;
  unsized<T> image_;
  bool has_frames_;
  view<T> numbers_ = {};
  std::vector<std::uint8_t> bytes_;
};

inline error read_jpeg_image(const image_request& r, std::string_view file, const image_library::pixel_memory& to) {
  if (r.channels == 4) return refused_image(r.name(), "a JPEG file does not have 4 channels");
  if (r.op == image_op::bmp) return wrong_image_op(r.name(), "JPEG", "a BMP file");
  if (image_library::library == nullptr) return without_image_library(r.name(), "JPEG");
  image_library::jpeg_reading reading = r.jpeg;
  reading.file = file;
  reading.channels = static_cast<int>(r.channels);
  reading.most_numbers = most_image_numbers.load(std::memory_order_relaxed);
  std::string why;
  if (image_library::library->read_jpeg(reading, to, why) || why.empty()) return {};
  return refused_image(r.name(), why);
}

inline error read_gif_image(const image_request& r, std::string_view file, const image_library::pixel_memory& to) {
  if (r.channels != 0 && r.channels != 3)
    return refused_image(r.name(), message{"channels must be 0 or 3 for a GIF file, found ", r.channels}.string());
  if (r.op == image_op::bmp || r.op == image_op::crop)
    return wrong_image_op(r.name(), "GIF", r.op == image_op::bmp ? "a BMP file" : "a JPEG file");
  if (image_library::library == nullptr) return without_image_library(r.name(), "GIF");
  const image_library::gif_reading reading{.file = file,
                                           .all_frames = r.op != image_op::image || r.expands,
                                           .one_frame_only = r.op == image_op::jpeg || r.op == image_op::png,
                                           .most_numbers = most_image_numbers.load(std::memory_order_relaxed)};
  std::string why;
  if (image_library::library->read_gif(reading, to, why) || why.empty()) return {};
  return refused_image(r.name(), why);
}

// Returns an error text if an image is too large; empty if it is not.
inline std::string beyond_limit(std::int64_t height, std::int64_t width, std::int64_t channels) {
  const std::int64_t most = most_image_numbers.load(std::memory_order_relaxed);
  if (height == 0 || width * channels <= (most - 1) / height) return {};
  return message{
      "an image of ", height, " x ", width, " pixels is larger than the limit of ", most, " numbers (fg::limit_images)"}
      .string();
}

inline error read_bmp_image(const image_request& r, std::string_view file, const image_library::pixel_memory& to) {
  if (r.channels == 1) return refused_image(r.name(), "channels must be 0, 3 or 4 for a BMP file, found 1");
  if (r.op != image_op::bmp && r.op != image_op::image)
    return wrong_image_op(r.name(), "BMP", "another file: DecodeBmp and DecodeImage read BMP files");
  const auto image = bmp_file::read(file);
  if (!image) return refused_image(r.name(), image.error().message());
  const int channels = r.channels != 0 ? static_cast<int>(r.channels) : image->channels;
  if (std::string why = beyond_limit(image->height, image->width, channels); !why.empty()) return refused_image(r.name(), why);
  if (std::uint8_t* pixels = to.take(to.taker, 1, image->height, image->width, channels)) image->decode(channels, pixels);
  return {};
}

template <class T> error read_png_image(const image_request& r, std::string_view file, image_output<T>& to) {
  const auto size = png_size_of(file, static_cast<int>(r.channels));
  if (!size) return size.error();
  if (r.op == image_op::bmp || r.op == image_op::crop)
    return wrong_image_op(r.name(), "PNG", r.op == image_op::bmp ? "a BMP file" : "a JPEG file");
  if (std::string why = beyond_limit(size->height, size->width, size->channels); !why.empty())
    return refused_image(r.name(), why);
  if (!to.resize(1, size->height, size->width, size->channels)) return {};
  if constexpr (sizeof(T) == 4) {
    std::vector<std::uint16_t> wide(to.numbers().size());
    if (auto read = read_png(file, size->channels, std::span(wide)); !read) return read.error();
    constexpr T scale = T(1) / T(65535);
    std::transform(wide.begin(), wide.end(), to.numbers().begin(), [](std::uint16_t v) { return static_cast<T>(v) * scale; });
  } else if (auto read = read_png(file, size->channels, to.numbers()); !read) {
    return read.error();
  }
  return {};
}

// Decodes a file of any format that the op reads.
template <class T> void read_image(cpu ctx, const image_request& r, view<const std::string> contents, unsized<T> image) {
  const std::string_view file = contents.scalar();
  const auto begins = [&](std::string_view with) { return file.starts_with(with); };
  const bool is_gif = begins("GIF8");
  image_output<T> to(ctx, image, r.has_frames(is_gif));
  error why;
  if (begins("\x89PNG\r\n\x1a\n")) {
    why = read_png_image(r, file, to);
  } else if (begins("\xff\xd8\xff") || is_gif || begins("BM")) {
    why = is_gif         ? read_gif_image(r, file, to.memory())
          : begins("BM") ? read_bmp_image(r, file, to.memory())
                         : read_jpeg_image(r, file, to.memory());
    if (!why && !ctx.failed()) to.convert();
  } else if (begins("RIFF") && file.size() >= 12 && file.substr(8, 4) == "WEBP") {
    why =
        error(error_code::unimplemented, message{r.name(), ": the bytes are a WebP file, expected a JPEG, PNG, GIF or BMP file"});
  } else {
    why = refused_image(r.name(), file.empty() ? "there are no bytes" : "the bytes are not a JPEG, PNG, GIF or BMP file");
  }
  if (why) ctx.fail(why);
}

// Returns the shape of `channels` of a decoded file.
inline shape decoded_image_shape(shape_context& c, std::int64_t channels, const shape& contents) {
  if (channels != 0 && channels != 1 && channels != 3 && channels != 4)
    return c.fail(message{"channels must be 0, 1, 3 or 4, found ", channels});
  if (!fits(contents, {})) return c.fail("contents must be a scalar, the bytes of one file");
  return {any, any, channels == 0 ? -1 : channels};
}

}  // namespace flowgraph::detail
