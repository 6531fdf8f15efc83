#pragma once
// Decodes BMP files: 8 bits of gray, colors, or colors and opacity, without compression, as TensorFlow reads them.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/message.hpp>

#include <cstdint>
#include <limits>
#include <string_view>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The header of a file, checked against the size of the file.
struct bmp_file {
  std::string_view rows = {};
  std::int64_t width = 0, height = 0, row_bytes = 0;
  int channels = 0;  // channels of the file
  bool is_top_down = false;

  static result<bmp_file> read(std::string_view file);
  // Fills `to` with `asked` channels per pixel: 1, 3 or 4.
  void decode(int asked, std::uint8_t* to) const;

private:
  void decode_pixel(const char* from, int asked, std::uint8_t* to) const;
};

inline std::int32_t read_little_endian(std::string_view file, std::size_t at, int bytes) {
  std::uint32_t value = 0;
  for (int i = bytes; i-- > 0;) value = value << 8 | static_cast<std::uint8_t>(file[at + static_cast<std::size_t>(i)]);
  return static_cast<std::int32_t>(value);
}

FLOWGRAPH_COLD inline error no_bmp(const message& why) { return error(error_code::invalid_argument, why); }

inline result<bmp_file> bmp_file::read(std::string_view file) {
  if (file.size() < 32) return no_bmp(message{"a BMP file has at least 32 bytes, found ", file.size()});
  const std::int64_t begin = read_little_endian(file, 10, 4), height = read_little_endian(file, 22, 4);
  const int bits = static_cast<std::int16_t>(read_little_endian(file, 28, 2));
  bmp_file result;
  result.width = read_little_endian(file, 18, 4), result.height = height < 0 ? -height : height;
  result.channels = bits / 8, result.is_top_down = height < 0;
  if (result.channels != 1 && result.channels != 3 && result.channels != 4)
    return no_bmp(message{"a BMP file must have 8, 24 or 32 bits per pixel, found ", bits});
  if (result.width <= 0 || height == 0)
    return no_bmp(message{"a BMP file must have pixels, found ", result.width, " x ", result.height, " pixels"});
  if (begin < 0) return no_bmp(message{"the pixels of a BMP file must not begin before the file, found offset ", begin});
  if (result.width * result.height >= std::numeric_limits<std::int32_t>::max() / 8)
    return no_bmp(message{"a BMP file of ", result.width, " x ", result.height, " pixels is too large"});
  result.row_bytes = (8 * result.channels * result.width + 31) / 32 * 4;
  const auto size = static_cast<std::int64_t>(file.size());
  if (size - begin != result.row_bytes * result.height)
    return no_bmp(
        message{"a BMP file of these pixels has ", begin + result.row_bytes * result.height, " bytes, found ", file.size()});
  result.rows = file.substr(static_cast<std::size_t>(begin));
  return result;
}

inline void bmp_file::decode_pixel(const char* from, int asked, std::uint8_t* to) const {
  const auto part = [&](int i) { return static_cast<std::uint8_t>(from[i]); };
  to[0] = channels == 1 ? part(0) : part(2);  // blue is first
  if (asked == 1) return;
  to[1] = channels == 1 ? part(0) : part(1);
  to[2] = part(0);
  if (asked == 4) to[3] = channels == 4 ? part(3) : std::uint8_t{255};
}

inline void bmp_file::decode(int asked, std::uint8_t* to) const {
  for (std::int64_t y = 0; y < height; ++y) {
    const char* from = rows.data() + (is_top_down ? y : height - 1 - y) * row_bytes;
    for (std::int64_t x = 0; x < width; ++x, from += channels, to += asked) decode_pixel(from, asked, to);
  }
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
