#pragma once
// Encodes images as PNG files.
//
//     auto file = fg::encode_png(pixels, {.width = 640, .height = 480, .channels = 3});    // result<std::string>

#include <flowgraph/core/error.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The size of an image.
struct png_size {
  std::int64_t width = 0, height = 0;  // size in pixels
  int channels = 1;                    // 1: gray, 2: gray and alpha, 3: RGB, 4: RGBA
};

// Returns an image as a PNG file. The pixels are given row by row, with one byte per channel. With zlib (FLOWGRAPH_ZLIB), the
// file has the same bytes as the file that TensorFlow and libpng write: each row has the filter with the smallest sum of
// magnitudes. Without zlib, the rows are stored uncompressed. `compression` is from 0 (none) to 9 (the smallest file), or -1 for
// zlib's default.
result<std::string> encode_png(std::span<const std::uint8_t> pixels, const png_size& size, int compression = -1);
// As above, for an image with 16 bits per channel.
result<std::string> encode_png(std::span<const std::uint16_t> pixels, const png_size& size, int compression = -1);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/png.hpp>
#endif
