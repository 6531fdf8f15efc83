#pragma once
// CRC-32C (Castagnoli), the checksum of TFRecord files, event files and checkpoints. It uses the processor's CRC instruction if
// there is one.

#include <flowgraph/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the checksum of `bytes`. If `before` is the checksum of the preceding bytes, returns the checksum of the preceding
// bytes and `bytes` together.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept;
inline std::uint32_t crc32c(std::string_view text, std::uint32_t before = 0) noexcept {
  return crc32c(std::as_bytes(std::span(text)), before);
}

// Converts a checksum to the form that TensorFlow stores. TensorFlow does not store the checksum itself, because all bytes that
// end with their own checksum have the same checksum.
constexpr std::uint32_t mask_crc32c(std::uint32_t sum) noexcept { return ((sum >> 15) | (sum << 17)) + 0xa282ead8u; }
// Converts a stored checksum back to the checksum of the bytes.
constexpr std::uint32_t unmask_crc32c(std::uint32_t masked) noexcept {
  const std::uint32_t turned = masked - 0xa282ead8u;
  return (turned >> 17) | (turned << 15);
}

namespace detail {

// Computes the checksum with tables, on any processor.
std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t before) noexcept;

}  // namespace detail

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/crc32c.hpp>
#endif
