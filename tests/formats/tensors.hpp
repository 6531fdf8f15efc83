#pragma once
// Tensors of every type that files hold, and whether two are equal to the bit.

#include <flowgraph/core/tensor.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace file_tests {

namespace fg = flowgraph;

inline constexpr fg::dtype plain_types[] = {fg::dtype::float32, fg::dtype::float64,   fg::dtype::float16,   fg::dtype::bfloat16,
                                            fg::dtype::int8,    fg::dtype::int16,     fg::dtype::int32,     fg::dtype::int64,
                                            fg::dtype::uint8,   fg::dtype::uint16,    fg::dtype::uint32,    fg::dtype::uint64,
                                            fg::dtype::boolean, fg::dtype::complex64, fg::dtype::complex128};

// Elements whose bytes are all of them in use.
inline fg::any_tensor numbered(fg::dtype type, const fg::shape& extents, unsigned seed = 1) {
  fg::any_tensor made = fg::any_tensor::allocate(type, extents).value();
  auto* const bytes = static_cast<unsigned char*>(made.data());
  for (std::size_t i = 0; i < made.bytes(); ++i) {
    seed = seed * 1664525 + 1013904223;
    bytes[i] = static_cast<unsigned char>(type == fg::dtype::boolean ? (seed >> 30) & 1 : seed >> 24);
  }
  return made;
}
inline fg::any_tensor texts(const fg::shape& extents) {
  fg::any_tensor made = fg::any_tensor::allocate(fg::dtype::string, extents).value();
  for (std::size_t i = 0; i < made.size(); ++i)
    static_cast<std::string*>(made.data())[i] = std::string(i * 37, static_cast<char>('a' + i)) + '\0';
  return made;
}

inline bool equal(const fg::any_tensor& a, const fg::any_tensor& b) {
  if (a.type() != b.type() || a.shape() != b.shape()) return false;
  if (a.type() != fg::dtype::string) return a.bytes() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (static_cast<const std::string*>(a.data())[i] != static_cast<const std::string*>(b.data())[i]) return false;
  return true;
}

inline bool says(const fg::error& why, std::string_view part) { return why.message().find(part) != std::string_view::npos; }

}  // namespace file_tests
