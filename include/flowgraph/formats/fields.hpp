#pragma once
// Reads and writes the fields of Protobuf messages without a schema, for small formats that consist of such messages. Reading
// copies and allocates nothing.
//
//     fg::detail::field_reader f(message);
//     while (f.next())
//       if (f.is_bytes(1)) name = f.bytes();
//     if (f.is_broken()) ...                       // truncated, or not a message

#include <flowgraph/config.hpp>

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

static_assert(std::endian::native == std::endian::little, "flowgraph: the fields of messages are little-endian");

// Removes an integer from the beginning of `bytes` and stores it in `value`. If `bytes` does not begin with an integer, returns
// false and leaves `bytes` unchanged.
inline bool take_varint(std::string_view& bytes, std::uint64_t& value) {
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < 10 && i < bytes.size(); ++i) {
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    if (i == 9 && byte > 1) return false;  // more than 64 bits
    result |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
    if (byte & 0x80) continue;
    bytes.remove_prefix(i + 1);
    value = result;
    return true;
  }
  return false;
}

// The encoding of a field.
enum class field_form : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

// Iterates over the fields of one message, including fields with unknown numbers.
class field_reader {
public:
  explicit field_reader(std::string_view message) : left_(message) {}

  // Moves to the next field. Returns false at the end of the message, or if the remaining bytes are not a complete field.
  bool next() {
    if (left_.empty()) return false;
    std::uint64_t tag = 0;
    broken_ = !take_varint(left_, tag) || (tag >> 3) == 0 || (tag >> 3) > 0x1fffffff;
    if (broken_) return false;
    number_ = static_cast<std::uint32_t>(tag >> 3);
    form_ = static_cast<field_form>(tag & 7);
    broken_ = !take_value();
    return !broken_;
  }
  bool is_broken() const { return broken_; }

  std::uint32_t number() const { return number_; }
  field_form form() const { return form_; }
  bool is_bytes(std::uint32_t number) const { return number_ == number && form_ == field_form::bytes; }
  bool is_varint(std::uint32_t number) const { return number_ == number && form_ == field_form::varint; }

  // Returns the content of a field of the form `bytes`: a string, a message, or packed values.
  std::string_view bytes() const { return bytes_; }
  // Returns the value of a field of another form.
  std::uint64_t value() const { return value_; }

private:
  bool take_value() {
    switch (form_) {
      case field_form::varint: return take_varint(left_, value_);
      case field_form::fixed64: return take_fixed(8);
      case field_form::fixed32: return take_fixed(4);
      case field_form::bytes: {
        std::uint64_t size = 0;
        if (!take_varint(left_, size) || size > left_.size()) return false;
        bytes_ = left_.substr(0, static_cast<std::size_t>(size));
        left_.remove_prefix(static_cast<std::size_t>(size));
        return true;
      }
    }
    return false;  // groups, which are obsolete
  }
  bool take_fixed(std::size_t size) {
    if (left_.size() < size) return false;
    value_ = 0;
    std::memcpy(&value_, left_.data(), size);
    left_.remove_prefix(size);
    return true;
  }

  std::string_view left_, bytes_;
  std::uint64_t value_ = 0;
  std::uint32_t number_ = 0;
  field_form form_ = field_form::varint;
  bool broken_ = false;
};

// ---- writing: each function appends to `to`

inline void put_varint(std::string& to, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) to.push_back(static_cast<char>(value | 0x80));
  to.push_back(static_cast<char>(value));
}
inline void put_tag(std::string& to, std::uint32_t number, field_form form) {
  put_varint(to, std::uint64_t{number} << 3 | static_cast<std::uint64_t>(form));
}
inline void put_varint_field(std::string& to, std::uint32_t number, std::uint64_t value) {
  put_tag(to, number, field_form::varint);
  put_varint(to, value);
}
inline void put_bytes_field(std::string& to, std::uint32_t number, std::string_view bytes) {
  put_tag(to, number, field_form::bytes);
  put_varint(to, bytes.size());
  to.append(bytes);
}
template <class T>
  requires(std::is_trivially_copyable_v<T> && (sizeof(T) == 4 || sizeof(T) == 8))
void put_fixed_field(std::string& to, std::uint32_t number, T value) {
  put_tag(to, number, sizeof(T) == 4 ? field_form::fixed32 : field_form::fixed64);
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace flowgraph::detail
