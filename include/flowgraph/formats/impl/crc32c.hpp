#pragma once

#include <flowgraph/formats/crc32c.hpp>
#include <flowgraph/formats/impl/crc_table.hpp>

#include <cstring>

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__)
#include <cpuid.h>
#include <nmmintrin.h>
#define FLOWGRAPH_CRC32_INSTRUCTION 1
#endif

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline constexpr crc_tables crc32c_table = make_crc_tables(0x82f63b78u);

FLOWGRAPH_INLINE std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t before) noexcept {
  return crc_by_table(crc32c_table, bytes, before);
}

#ifdef FLOWGRAPH_CRC32_INSTRUCTION
// The effect of `shift` zero bytes on a sum. The instruction takes three cycles, and one can start per cycle, so three sums are
// computed at once, of thirds of a block. They are joined as if `shift` zero bytes followed each earlier third.
class crc32c_zeros {
public:
  explicit constexpr crc32c_zeros(std::size_t shift) {
    // Computes the rows for single bits; all other rows are sums of these.
    for (std::uint32_t k = 0; k < 4; ++k)
      for (std::uint32_t i = 1; i < 256; ++i)
        rows_[k][i] = (i & (i - 1)) == 0 ? pass(i << (8 * k), shift) : rows_[k][i & (i - 1)] ^ rows_[k][i & (0 - i)];
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

inline constexpr std::size_t crc32c_third = 4096;  // a page: for shorter streams the processor does not prefetch

// Uses the instruction CPUID directly, for the reason in ops/kernel/processor.hpp.
FLOWGRAPH_COLD inline bool has_crc32c_instruction() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_2) != 0;
}

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
  static const bool has_instruction = detail::has_crc32c_instruction();
  if (has_instruction) return detail::crc32c_by_instruction(bytes.data(), bytes.size(), before);
#endif
  return detail::crc32c_by_table(bytes, before);
}

}  // namespace flowgraph
