#pragma once
// Protobuf written by hand: messages that no writer of ours would write.

#include <cstdint>
#include <cstring>
#include <span>
#include <string>

namespace proto {

inline std::string varint(std::uint64_t v) {
  std::string made;
  for (; v > 127; v >>= 7) made += static_cast<char>(v | 128);
  return made + static_cast<char>(v);
}
inline std::string number(std::uint32_t field, std::uint64_t v) { return varint(field << 3) + varint(v); }
inline std::string part(std::uint32_t field, const std::string& content) {
  return varint(field << 3 | 2) + varint(content.size()) + content;
}
template <class T> std::string raw(T v) {
  std::string made(sizeof v, '\0');
  std::memcpy(made.data(), &v, sizeof v);
  return made;
}
inline std::string fixed(std::uint32_t field, float v) { return varint(field << 3 | 5) + raw(v); }

inline std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

// TensorProto of that type and shape, with further fields.
inline std::string tensor(int type, std::initializer_list<std::uint64_t> extents, const std::string& fields) {
  std::string shape;
  for (const std::uint64_t n : extents) shape += part(2, number(1, n));
  return number(1, static_cast<std::uint64_t>(type)) + part(2, shape) + fields;
}

}  // namespace proto
