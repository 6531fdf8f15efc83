#pragma once
// Pixels out of PNG files, as TensorFlow takes them.
//
//     auto size = fg::png_size_of(file);                                                      // result<png_size>
//     std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size->width * size->height * size->channels));
//     auto done = fg::read_png(file, size->channels, pixels);                               // result<void>
//
// Every kind of file: gray, colours or a palette, 1 to 16 bits, opacity, rows one after the other or interlaced. It takes zlib
// (formats/compression.hpp).

#include <flowgraph/formats/png.hpp>

#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// The size of the image that read_png makes. `channels`: 1 gray, 2 gray and opacity, 3 colours, 4 colours and opacity; 0: as many
// as the file has. Bytes that are no such file are invalid_argument.
result<png_size> png_size_of(std::string_view file, int channels = 0);

// Fills `pixels`, row by row, a number a channel: 0 to 255, or to 65535, whatever the file has. Colours become gray by the weights
// that TensorFlow gives libpng. A file that is cut or damaged is invalid_argument.
result<void> read_png(std::string_view file, int channels, std::span<std::uint8_t> pixels);
result<void> read_png(std::string_view file, int channels, std::span<std::uint16_t> pixels);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/png_reader.hpp>
#endif
