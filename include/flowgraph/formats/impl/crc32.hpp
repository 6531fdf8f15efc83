#pragma once
// The checksum of ZIP and PNG files.

#include <flowgraph/formats/impl/crc_table.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline constexpr crc_tables crc32_table = make_crc_tables(0xedb88320u);
inline std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0) noexcept {
  return crc_by_table(crc32_table, bytes, before);
}

}  // namespace flowgraph::detail
