#pragma once
// Tables of elements in scratch memory.

#include <flowgraph/core/type.hpp>

#include <bit>
#include <functional>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the number of places of a table for n elements: a power of two, more than 2 n, so that a probe ends.
inline std::size_t unique_places(std::size_t n) { return std::bit_ceil(2 * n + 1); }

template <class T> std::size_t hash_element(const T& x) {
  std::uint64_t bits;
  if constexpr (std::is_same_v<T, std::string>) bits = std::hash<std::string>{}(x);
  else if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) bits = std::hash<float>{}(static_cast<float>(x));
  else bits = std::hash<T>{}(x);
  bits *= 0x9e3779b97f4a7c15u;
  return static_cast<std::size_t>(bits ^ (bits >> 32));
}
template <class T> bool same_element(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>) return static_cast<float>(a) == static_cast<float>(b);
  else return a == b;
}

}  // namespace flowgraph::detail
