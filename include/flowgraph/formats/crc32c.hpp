#pragma once
// CRC-32C (Castagnoli), the checksum of TFRecord files, event files and checkpoints, by the processor's own instruction where it has one.

#include <flowgraph/config.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// The checksum of `bytes`, or, with the checksum of what stands before them, of both together.
std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept;
inline std::uint32_t crc32c(std::string_view text, std::uint32_t before = 0) noexcept {
  return crc32c(std::as_bytes(std::span(text)), before);
}

// The form in which TensorFlow stores checksums: that of bytes which contain their own checksum would say nothing.
constexpr std::uint32_t mask_crc32c(std::uint32_t sum) noexcept { return ((sum >> 15) | (sum << 17)) + 0xa282ead8u; }
constexpr std::uint32_t unmask_crc32c(std::uint32_t masked) noexcept {
  const std::uint32_t turned = masked - 0xa282ead8u;
  return (turned >> 17) | (turned << 15);
}

namespace detail {

// By tables, on every processor.
std::uint32_t crc32c_by_table(std::span<const std::byte> bytes, std::uint32_t before) noexcept;

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/formats/impl/crc32c.hpp>
#endif
