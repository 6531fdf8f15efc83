#pragma once
// SHA-256 (FIPS 180-4) and the keyed hash made of it (RFC 2104): a shared token is proved and never sent.

#include <flowgraph/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

using hash_bytes = std::array<std::uint8_t, 32>;

class sha256 {
public:
  void add(std::string_view bytes) noexcept;
  // Of all that was added; nothing may be added after.
  hash_bytes finish() noexcept;

private:
  void take_block(const std::uint8_t* block) noexcept;

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::size_t filled_ = 0;
  std::uint64_t bytes_ = 0;
};

// The keyed hash of the pieces, one after another.
hash_bytes keyed_hash(std::string_view key, std::initializer_list<std::string_view> pieces) noexcept;

// Takes as long for any two: how much of them is equal cannot be measured.
bool is_same_hash(const hash_bytes& a, std::string_view b) noexcept;

inline std::string_view as_text(const hash_bytes& h) noexcept { return {reinterpret_cast<const char*>(h.data()), h.size()}; }

}
}
}  // namespace flowgraph::distributed
