#pragma once
// Cyclic checksums of 32 bits, computed with tables, eight bytes at a time.

#include <flowgraph/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Row k: the effect of a byte that is k bytes before the end.
using crc_tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr crc_tables make_crc_tables(std::uint32_t polynomial) {
  crc_tables all{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1) ? polynomial : 0u);
    all[0][i] = c;
  }
  for (std::size_t row = 1; row < all.size(); ++row)
    for (std::size_t i = 0; i < 256; ++i) all[row][i] = (all[row - 1][i] >> 8) ^ all[0][all[row - 1][i] & 255];
  return all;
}

inline std::uint32_t crc_by_table(const crc_tables& row, std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  std::uint32_t sum = ~before;
  const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(bytes[i]); };
  while (bytes.size() >= 8) {
    const std::uint32_t low = sum ^ (at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24);
    sum = row[7][low & 255] ^ row[6][(low >> 8) & 255] ^ row[5][(low >> 16) & 255] ^ row[4][low >> 24] ^ row[3][at(4)] ^
          row[2][at(5)] ^ row[1][at(6)] ^ row[0][at(7)];
    bytes = bytes.subspan(8);
  }
  for (const std::byte b : bytes) sum = (sum >> 8) ^ row[0][(sum ^ static_cast<std::uint32_t>(b)) & 255];
  return ~sum;
}

}  // namespace flowgraph::detail
