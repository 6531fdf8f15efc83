#pragma once
// Decodes PNG files, with the same results as TensorFlow.
//
//     auto size = fg::png_size_of(file);                                                      // result<png_size>
//     std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size->width * size->height * size->channels));
//     auto done = fg::read_png(file, size->channels, pixels);                               // result<void>
//
// Supports every kind of PNG file: gray, RGB or a palette, 1 to 16 bits, alpha, interlaced or not. Requires zlib
// (formats/compression.hpp).

#include <flowgraph/formats/png.hpp>

#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the size of the image that read_png decodes. `channels`: 1 gray, 2 gray and alpha, 3 RGB, 4 RGBA; 0: as in the file. If
// the bytes are not a PNG file, returns the error invalid_argument.
result<png_size> png_size_of(std::string_view file, int channels = 0);

// Fills `pixels` row by row, with one number per channel. For any bit depth of the file, the numbers are from 0 to 255, or from 0
// to 65535 if `pixels` has 16-bit numbers. Colours are converted to gray with TensorFlow's weights for libpng. If the file is
// truncated or damaged, returns the error invalid_argument.
result<void> read_png(std::string_view file, int channels, std::span<std::uint8_t> pixels);
result<void> read_png(std::string_view file, int channels, std::span<std::uint16_t> pixels);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/png_reader.hpp>
#endif
