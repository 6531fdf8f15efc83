#pragma once
// A number that stands for a name: the same on every machine, in every build and in every process.

#include <flowgraph/config.hpp>

#include <cstdint>
#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// FNV-1a with 64 bits. Random streams depend on it: another function would change the numbers that unseeded ops draw.
constexpr std::uint64_t key_of_name(std::string_view name) noexcept {
  std::uint64_t key = 0xcbf29ce484222325u;
  for (const char c : name) key = (key ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return key;
}

}  // namespace detail

}
}  // namespace flowgraph
