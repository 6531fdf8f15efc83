#pragma once
// Keys in the same order as the values that they encode. Checkpoints use them as names of parts of tensors.

#include <flowgraph/formats/tensor_slice.hpp>

#include <bit>
#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Appends the number of bytes, then the bytes, the highest first.
inline void append_ordered_count(std::string& to, std::uint64_t value) {
  const int bytes = (static_cast<int>(std::bit_width(value)) + 7) / 8;
  to += static_cast<char>(bytes);
  for (int i = bytes - 1; i >= 0; --i) to += static_cast<char>(value >> (8 * i));
}

// Appends a text: "\0" and "\xff" are escaped, and "\0\1" is the end.
inline void append_ordered_text(std::string& to, std::string_view text) {
  for (const char c : text) {
    to += c;
    if (c == '\0') to += '\xff';
    else if (c == '\xff') to += '\0';
  }
  to += '\0';
  to += '\1';
}

// Appends a number: seven bits per byte. The leading ones give the number of bytes; for negative numbers all bits are inverted.
inline void append_ordered_number(std::string& to, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = value < 0 ? ~bits : bits;
  const int bytes = static_cast<int>(std::bit_width(magnitude)) / 7 + 1;
  unsigned char all[10];
  for (int i = 0; i < 10; ++i) all[9 - i] = i < 8 ? static_cast<unsigned char>(bits >> (8 * i)) : (value < 0 ? 255 : 0);
  unsigned char* const begin = all + 10 - bytes;
  const unsigned ones = 0xffffu << (16 - bytes);
  begin[0] ^= static_cast<unsigned char>(ones >> 8);
  if (bytes > 1) begin[1] ^= static_cast<unsigned char>(ones);
  to.append(reinterpret_cast<const char*>(begin), static_cast<std::size_t>(bytes));
}

inline std::string slice_key(std::string_view name, const tensor_slice& part) {
  std::string key;
  append_ordered_count(key, 0);
  append_ordered_text(key, name);
  append_ordered_count(key, static_cast<std::uint64_t>(part.begin.rank));
  for (int axis = 0; axis < part.begin.rank; ++axis) {
    append_ordered_number(key, part.begin[axis]);
    append_ordered_number(key, part.extents[axis]);
  }
  return key;
}

}  // namespace flowgraph::detail
