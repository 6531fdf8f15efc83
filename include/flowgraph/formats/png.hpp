#pragma once
// Images as PNG files.
//
//     auto file = fg::encode_png(pixels, {.width = 640, .height = 480, .channels = 3});    // result<std::string>

#include <flowgraph/core/error.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct png_size {
  std::int64_t width = 0, height = 0;
  int channels = 1;  // gray, gray and opacity, colours, colours and opacity
};

// The file of an image whose pixels lie row by row, a byte a channel. With zlib (FLOWGRAPH_ZLIB) the bytes are those that TensorFlow
// writes, which is to say libpng's: each row by the filter whose sum is least. Without it the rows are stored as they are.
// `compression`: from 0, none, to 9, the smallest file; -1: zlib's choice.
result<std::string> encode_png(std::span<const std::uint8_t> pixels, const png_size& size, int compression = -1);
// The file of an image of 16 bits a channel.
result<std::string> encode_png(std::span<const std::uint16_t> pixels, const png_size& size, int compression = -1);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/png.hpp>
#endif
