#pragma once
// The pixels in a PNG file, by the format's own rules: what encode_png wrote is checked with it.

#include <flowgraph/formats/compression.hpp>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

inline std::uint32_t big_endian(std::string_view at) {
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(at[static_cast<std::size_t>(i)]);
  return value;
}

// The content of blocks that are stored as they are, or whatever zlib can read.
inline std::string inflated(std::string_view stream) {
  if (flowgraph::has_compression()) return flowgraph::decompress(stream, flowgraph::compression::zlib).value();
  std::string made;
  for (std::size_t at = 2; at + 9 <= stream.size();) {
    const auto size = static_cast<std::size_t>(static_cast<std::uint8_t>(stream[at + 1])) |
                      static_cast<std::size_t>(static_cast<std::uint8_t>(stream[at + 2])) << 8;
    made += stream.substr(at + 5, size);
    at += 5 + size;
  }
  return made;
}

inline std::vector<std::uint8_t> pixels_in(std::string_view file) {
  constexpr std::array<std::size_t, 7> channels_of{1, 0, 3, 0, 2, 0, 4};
  const std::size_t width = big_endian(file.substr(16)), height = big_endian(file.substr(20));
  const std::size_t channels = channels_of[static_cast<std::size_t>(file[25])], row = width * channels;
  std::string packed;
  for (std::size_t at = 8; at < file.size(); at += 12 + big_endian(file.substr(at)))
    if (file.substr(at + 4, 4) == "IDAT") packed += file.substr(at + 8, big_endian(file.substr(at)));
  const std::string rows = inflated(packed);
  if (rows.size() != (row + 1) * height) return {};
  std::vector<std::uint8_t> made(row * height);
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < row; ++x) {
      const std::size_t at = y * row + x;
      const int left = x < channels ? 0 : made[at - channels], above = y == 0 ? 0 : made[at - row];
      const int corner = x < channels || y == 0 ? 0 : made[at - row - channels];
      const int sum = left + above - corner;
      const int to_left = std::abs(sum - left), to_above = std::abs(sum - above), to_corner = std::abs(sum - corner);
      const int nearest = to_left <= to_above && to_left <= to_corner ? left : to_above <= to_corner ? above : corner;
      const std::array expected{0, left, above, (left + above) / 2, nearest};
      const auto filter = static_cast<std::size_t>(rows[y * (row + 1)]);
      if (filter >= expected.size()) return {};
      made[at] = static_cast<std::uint8_t>(static_cast<std::uint8_t>(rows[y * (row + 1) + 1 + x]) + expected[filter]);
    }
  return made;
}
