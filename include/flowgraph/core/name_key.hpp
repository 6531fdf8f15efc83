#pragma once
// A hash of a name. The hash is the same on all machines, in all builds and in all processes.

#include <flowgraph/config.hpp>

#include <cstdint>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the 64-bit FNV-1a hash of the name. Random streams depend on it: a different hash function would change the random
// numbers of ops without a seed.
constexpr std::uint64_t key_of_name(std::string_view name) noexcept {
  std::uint64_t key = 0xcbf29ce484222325u;
  for (const char c : name) key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return key;
}

}  // namespace flowgraph::detail
