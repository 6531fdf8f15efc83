#pragma once
// SHA-256 (FIPS 180-4) and the keyed hash made of it (RFC 2104). With it a process proves that it knows a shared token without
// sending the token.

#include <flowgraph/config.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

using hash_bytes = std::array<std::uint8_t, 32>;

class sha256 {
public:
  void add(std::string_view bytes) noexcept;
  // Returns the hash of all bytes that were added. After this call nothing may be added.
  hash_bytes finish() noexcept;

private:
  void take_block(const std::uint8_t* block) noexcept;

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block_{};
  std::size_t filled_ = 0;
  std::uint64_t bytes_ = 0;
};

// Returns the keyed hash of the pieces, one after another.
hash_bytes keyed_hash(std::string_view key, std::initializer_list<std::string_view> pieces) noexcept;

// Compares in constant time, so that an attacker cannot measure how many bytes are equal.
bool is_same_hash(const hash_bytes& a, std::string_view b) noexcept;

inline std::string_view as_text(const hash_bytes& h) noexcept { return {reinterpret_cast<const char*>(h.data()), h.size()}; }

}  // namespace flowgraph::distributed
