#pragma once
// Protobuf's wire format, as much of it as checkpoints need: fields one after the other, read with checks, written into a string.

#include <flowgraph/core/shape.hpp>

#include <bit>
#include <cstring>
#include <string>
#include <string_view>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

static_assert(std::endian::native == std::endian::little, "flowgraph: files are little-endian, and so must the host be");

enum class wire_type : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

inline void append_varint(std::string& to, std::uint64_t value) {
  for (; value >= 128; value >>= 7) to += static_cast<char>(value | 128);
  to += static_cast<char>(value);
}
template <class T> void append_fixed(std::string& to, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  to.append(bytes, sizeof(T));
}
template <class T> T load_fixed(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
inline void append_tag(std::string& to, std::uint32_t field, wire_type type) {
  append_varint(to, std::uint64_t{field} << 3 | static_cast<std::uint64_t>(type));
}
// Zero stands for itself, unwritten.
inline void append_number(std::string& to, std::uint32_t field, std::int64_t value) {
  if (value == 0) return;
  append_tag(to, field, wire_type::varint);
  append_varint(to, static_cast<std::uint64_t>(value));
}
inline void append_bytes(std::string& to, std::uint32_t field, std::string_view bytes) {
  append_tag(to, field, wire_type::bytes);
  append_varint(to, bytes.size());
  to += bytes;
}

// Takes a varint from the front of `from`; false: it is cut or longer than 64 bits.
inline bool take_varint(std::string_view& from, std::uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !from.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(from.front());
    from.remove_prefix(1);
    if (shift == 63 && byte > 1) return false;
    value |= std::uint64_t{byte & 127u} << shift;
    if (byte < 128) return true;
  }
  return false;
}

// The fields of one message. After a fault `next` says no more, and `is_broken` why.
class wire_reader {
public:
  explicit wire_reader(std::string_view message) : rest_(message) {}

  // Goes to the next field, over the one that nobody has taken.
  bool next() {
    if (!taken_) skip();
    std::uint64_t tag = 0;
    if (broken_ || rest_.empty()) return false;
    if (!take_varint(rest_, tag) || (tag >> 3) == 0 || (tag >> 3) >= (1u << 29)) return fault();
    field_ = static_cast<std::uint32_t>(tag >> 3);
    type_ = static_cast<wire_type>(tag & 7);
    taken_ = false;
    return true;
  }
  std::uint32_t field() const { return field_; }
  wire_type type() const { return type_; }
  bool is_broken() const { return broken_; }

  std::int64_t number() {
    std::uint64_t value = 0;
    if (!take(wire_type::varint) || !take_varint(rest_, value)) fault();
    return broken_ ? 0 : static_cast<std::int64_t>(value);
  }
  std::string_view bytes() {
    std::uint64_t size = 0;
    if (!take(wire_type::bytes) || !take_varint(rest_, size) || size > rest_.size()) {
      fault();
      return {};
    }
    return cut(static_cast<std::size_t>(size));
  }
  template <class T> T fixed() {
    if (!take(sizeof(T) == 4 ? wire_type::fixed32 : wire_type::fixed64) || rest_.size() < sizeof(T)) {
      fault();
      return {};
    }
    return load_fixed<T>(cut(sizeof(T)).data());
  }
  bool fault() {
    broken_ = true;
    return false;
  }

private:
  bool take(wire_type type) {
    taken_ = true;
    return !broken_ && type_ == type;
  }
  std::string_view cut(std::size_t size) {
    const std::string_view part = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return part;
  }
  void skip() {
    switch (type_) {
      case wire_type::varint: static_cast<void>(number()); break;
      case wire_type::fixed64: static_cast<void>(fixed<std::uint64_t>()); break;
      case wire_type::bytes: static_cast<void>(bytes()); break;
      case wire_type::fixed32: static_cast<void>(fixed<std::uint32_t>()); break;
      default: fault();
    }
  }

  std::string_view rest_;
  std::uint32_t field_ = 0;
  wire_type type_ = wire_type::varint;
  bool taken_ = true, broken_ = false;
};

// TensorShapeProto. False: it is broken, has an unknown extent, more axes than a shape can have, or 2^60 elements.
inline bool read_wire_shape(std::string_view message, shape& to) {
  to = shape();
  std::int64_t size = 1;
  wire_reader r(message);
  while (r.next()) {
    if (r.field() == 3 && r.number() != 0) return false;
    if (r.field() != 2) continue;
    std::int64_t extent = 0;
    wire_reader axis(r.bytes());
    while (axis.next())
      if (axis.field() == 1) extent = axis.number();
    if (axis.is_broken() || extent < 0 || to.rank == shape::max_rank) return false;
    if (extent > 0 && size > (std::int64_t{1} << 60) / extent) return false;
    size *= extent > 0 ? extent : 1;
    to.push_back(extent);
  }
  return !r.is_broken();
}
inline std::string wire_shape(const shape& s) {
  std::string all;
  for (const std::int64_t extent : s) {
    std::string axis;
    append_number(axis, 1, extent);
    append_bytes(all, 2, axis);
  }
  return all;
}

}  // namespace detail

}
}  // namespace flowgraph
