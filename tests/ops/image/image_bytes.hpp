#pragma once
// Files of pictures that tests write by hand, and whether the program has flowgraph::images.

#include <flowgraph/formats/detail/image_library.hpp>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace image_bytes {

inline bool has_library() { return flowgraph_images_1::library != nullptr; }

inline void put(std::string& file, std::int64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) file += static_cast<char>(value >> (8 * i) & 255);
}

// A BMP file of `bits` per pixel whose bytes of pixels count up, from 1. A negative height: the first row is first.
inline std::string bmp(std::int64_t width, std::int64_t height, int bits) {
  const std::int64_t row = (width * bits + 31) / 32 * 4, rows = height < 0 ? -height : height;
  std::string file = "BM";
  for (const std::int64_t head : {54 + row * rows, std::int64_t{0}, std::int64_t{54}, std::int64_t{40}, width, height})
    put(file, head, 4);
  put(file, 1, 2), put(file, bits, 2);
  file.append(24, '\0');
  for (std::int64_t i = 0; i < row * rows; ++i) put(file, i + 1, 1);
  return file;
}

// A frame of a GIF file: its place, and one index below four per pixel.
struct frame {
  std::int64_t left, top, width, height;
  std::vector<int> indices;
  int transparent = -1;
  bool is_interlaced = false;
};

// The codes of three bits that stand for the indices alone: the table begins anew before it grows.
inline std::string gif_codes(const std::vector<int>& indices) {
  std::string made;
  std::uint32_t bits = 0;
  int count = 0;
  const auto code = [&](int value) {
    bits |= static_cast<std::uint32_t>(value) << count;
    for (count += 3; count >= 8; count -= 8, bits >>= 8) put(made, bits & 255, 1);
  };
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (i % 2 == 0) code(4);
    code(indices[i]);
  }
  code(5);
  if (count > 0) put(made, bits & 255, 1);
  return made;
}

// The colors are black, red, green and blue.
inline std::string gif(std::int64_t width, std::int64_t height, std::initializer_list<frame> frames) {
  std::string file = "GIF89a";
  put(file, width, 2), put(file, height, 2);
  for (const int byte : {0xf1, 0, 0, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255}) put(file, byte, 1);
  for (const frame& f : frames) {
    if (f.transparent >= 0)
      for (const int byte : {0x21, 0xf9, 4, 1, 0, 0, f.transparent, 0}) put(file, byte, 1);
    file += ',';
    for (const std::int64_t extent : {f.left, f.top, f.width, f.height}) put(file, extent, 2);
    put(file, f.is_interlaced ? 0x40 : 0, 1);
    put(file, 2, 1);
    const std::string codes = gif_codes(f.indices);
    for (std::size_t at = 0; at < codes.size(); at += 255) {
      const std::string block = codes.substr(at, 255);
      put(file, static_cast<std::int64_t>(block.size()), 1);
      file += block;
    }
    put(file, 0, 1);
  }
  return file + ';';
}

}  // namespace image_bytes
