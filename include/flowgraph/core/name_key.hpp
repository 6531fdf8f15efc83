#pragma once
// A hash of a name, which is the same on all machines, in all builds and processes.

#include <flowgraph/config.hpp>

#include <cstdint>
#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// 64-bit FNV-1a. Random streams depend on it: another function would change the numbers of unseeded ops.
constexpr std::uint64_t key_of_name(std::string_view name) noexcept {
  std::uint64_t key = 0xcbf29ce484222325u;
  for (const char c : name) key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return key;
}

}  // namespace detail

}
}  // namespace flowgraph
