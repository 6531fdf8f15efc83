#pragma once

#include <flowgraph/formats/crc32c.hpp>

#include <array>
#include <cstring>

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#include <nmmintrin.h>
#define FLOWGRAPH_CRC32_INSTRUCTION 1
#endif

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Row k: what a byte adds that stands k bytes before the end.
using crc32c_tables = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr crc32c_tables make_crc32c_tables() {
  crc32c_tables all{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ ((c & 1) ? 0x82f63b78u : 0u);
    all[0][i] = c;
  }
  for (std::size_t row = 1; row < all.size(); ++row)
    for (std::size_t i = 0; i < 256; ++i) all[row][i] = (all[row - 1][i] >> 8) ^ all[0][all[row - 1][i] & 255];
  return all;
}

inline constexpr crc32c_tables crc32c_table = make_crc32c_tables();

FLOWGRAPH_INLINE std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  std::uint32_t sum = ~before;
  const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(bytes[i]); };
  while (bytes.size() >= 8) {
    const std::uint32_t low = sum ^ (at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24);
    sum = crc32c_table[7][low & 255] ^ crc32c_table[6][(low >> 8) & 255] ^ crc32c_table[5][(low >> 16) & 255] ^
          crc32c_table[4][low >> 24] ^ crc32c_table[3][at(4)] ^ crc32c_table[2][at(5)] ^ crc32c_table[1][at(6)] ^
          crc32c_table[0][at(7)];
    bytes = bytes.subspan(8);
  }
  for (const std::byte b : bytes) sum = (sum >> 8) ^ crc32c_table[0][(sum ^ static_cast<std::uint32_t>(b)) & 255];
  return ~sum;
}

#ifdef FLOWGRAPH_CRC32_INSTRUCTION
// The instruction takes three cycles and can begin in each: three sums at once, of thirds of a block, which are joined by what
// `shift` bytes of zeros behind the first ones would do.
class crc32c_zeros {
public:
  explicit constexpr crc32c_zeros(std::size_t shift) {
    for (std::uint32_t k = 0; k < 4; ++k)
      for (std::uint32_t i = 0; i < 256; ++i) rows_[k][i] = pass(i << (8 * k), shift);
  }
  constexpr std::uint32_t operator()(std::uint32_t sum) const noexcept {
    return rows_[0][sum & 255] ^ rows_[1][(sum >> 8) & 255] ^ rows_[2][(sum >> 16) & 255] ^ rows_[3][sum >> 24];
  }

private:
  static constexpr std::uint32_t pass(std::uint32_t sum, std::size_t zeros) {
    for (; zeros > 0; --zeros) sum = (sum >> 8) ^ crc32c_table[0][sum & 255];
    return sum;
  }
  std::array<std::array<std::uint32_t, 256>, 4> rows_{};
};

inline constexpr std::size_t crc32c_third = 1024;

[[gnu::target("sse4.2")]] inline std::uint32_t crc32c_by_instruction(const std::byte* at, std::size_t size,
                                                                     std::uint32_t before) noexcept {
  static const crc32c_zeros behind(crc32c_third);
  const auto word = [](const std::byte* from) {
    std::uint64_t w;
    std::memcpy(&w, from, sizeof w);
    return w;
  };
  std::uint64_t sum = ~before;
  for (; size >= 3 * crc32c_third; at += 3 * crc32c_third, size -= 3 * crc32c_third) {
    std::uint64_t second = 0, third = 0;
    for (std::size_t i = 0; i < crc32c_third; i += 8) {
      sum = _mm_crc32_u64(sum, word(at + i));
      second = _mm_crc32_u64(second, word(at + crc32c_third + i));
      third = _mm_crc32_u64(third, word(at + 2 * crc32c_third + i));
    }
    sum = behind(behind(static_cast<std::uint32_t>(sum)) ^ static_cast<std::uint32_t>(second)) ^ third;
  }
  for (; size >= 8; at += 8, size -= 8) sum = _mm_crc32_u64(sum, word(at));
  auto rest = static_cast<std::uint32_t>(sum);
  for (; size > 0; ++at, --size) rest = _mm_crc32_u8(rest, static_cast<unsigned char>(*at));
  return ~rest;
}
#endif

}  // namespace detail

FLOWGRAPH_INLINE std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
#ifdef FLOWGRAPH_CRC32_INSTRUCTION
  static const bool has_instruction = __builtin_cpu_supports("sse4.2");
  if (has_instruction) return detail::crc32c_by_instruction(bytes.data(), bytes.size(), before);
#endif
  return detail::crc32c_by_table(bytes, before);
}

}
}  // namespace flowgraph
