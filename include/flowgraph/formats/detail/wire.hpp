#pragma once
// Functions for checkpoints that add to formats/fields.hpp: fields that must have a certain form, numbers of a fixed size, and
// shapes.

#include <flowgraph/core/shape.hpp>
#include <flowgraph/core/shape_limit.hpp>
#include <flowgraph/formats/fields.hpp>

#include <cstring>
#include <string>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

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
// Writes nothing for zero, which is the default of a field.
inline void put_number_field(std::string& to, std::uint32_t field, std::int64_t value) {
  if (value == 0) return;
  put_tag(to, field, field_form::varint);
  put_varint(to, static_cast<std::uint64_t>(value));
}
// Fields of a message whose values must have the requested form. After a fault, `next` returns false and `is_broken` true.
class checked_fields {
public:
  explicit checked_fields(std::string_view message) : fields_(message) {}

  bool next() { return !broken_ && fields_.next(); }
  std::uint32_t number() const { return fields_.number(); }
  field_form form() const { return fields_.form(); }
  bool is_broken() const { return broken_ || fields_.is_broken(); }

  std::int64_t integer() { return has(field_form::varint) ? static_cast<std::int64_t>(fields_.value()) : 0; }
  std::string_view bytes() { return has(field_form::bytes) ? fields_.bytes() : std::string_view(); }
  template <class T> T fixed() {
    if (!has(sizeof(T) == 4 ? field_form::fixed32 : field_form::fixed64)) return {};
    const std::uint64_t value = fields_.value();
    return load_fixed<T>(&value);
  }

private:
  bool has(field_form wanted) {
    broken_ = broken_ || fields_.form() != wanted;
    return !broken_;
  }

  field_reader fields_;
  bool broken_ = false;
};

// Reads a TensorShapeProto. Returns false if it is broken, has an unknown extent, more axes than a shape can have, or 2^60
// elements.
inline bool read_wire_shape(std::string_view message, shape& to) {
  to = shape();
  checked_fields r(message);
  while (r.next()) {
    if (r.number() == 3 && r.integer() != 0) return false;
    if (r.number() != 2) continue;
    std::int64_t extent = 0;
    checked_fields axis(r.bytes());
    while (axis.next())
      if (axis.number() == 1) extent = axis.integer();
    if (axis.is_broken() || extent < 0 || to.rank == shape::max_rank) return false;
    to.push_back(extent);
  }
  return !r.is_broken() && !is_too_large(to);
}
inline std::string wire_shape(const shape& s) {
  std::string all;
  for (const std::int64_t extent : s) {
    std::string axis;
    put_number_field(axis, 1, extent);
    put_bytes_field(all, 2, axis);
  }
  return all;
}

}  // namespace flowgraph::detail
