#pragma once

#include <flowgraph/core/shape_limit.hpp>
#include <flowgraph/formats/fields.hpp>
#include <flowgraph/formats/serialized_tensor.hpp>

#include <algorithm>
#include <vector>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The numbers of the fields of TensorProto.
enum tensor_field : std::uint32_t { tensor_dtype = 1, tensor_shape = 2, tensor_content = 4, tensor_strings = 8 };

// The contents of a TensorProto, as views of its bytes.
struct tensor_message {
  dtype type = dtype::invalid;
  flowgraph::shape shape;
  bool is_shape_known = true;
  std::string_view content;
  std::vector<std::string_view> strings;
  std::string values;  // values of the field of the type, in their layout in memory
};

// The field that contains the values of a type, and their encoding: varints, 32 bits or 64 bits.
struct value_field {
  std::uint32_t number;
  field_form form;
};
inline value_field field_of_values(dtype type) {
  switch (type) {
    case dtype::float32: return {5, field_form::fixed32};
    case dtype::float64: return {6, field_form::fixed64};
    case dtype::complex64: return {9, field_form::fixed32};
    case dtype::complex128: return {12, field_form::fixed64};
    case dtype::int64: return {10, field_form::varint};
    case dtype::boolean: return {11, field_form::varint};
    case dtype::float16:
    case dtype::bfloat16: return {13, field_form::varint};
    case dtype::uint32: return {16, field_form::varint};
    case dtype::uint64: return {17, field_form::varint};
    default: return {7, field_form::varint};
  }
}

inline bool read_extents(std::string_view message, tensor_message& result) {
  field_reader fields(message);
  while (fields.next()) {
    if (fields.is_varint(3) && fields.value() != 0) result.is_shape_known = false;
    if (!fields.is_bytes(2)) continue;
    std::int64_t extent = 0;
    field_reader dim(fields.bytes());
    while (dim.next())
      if (dim.is_varint(1)) extent = static_cast<std::int64_t>(dim.value());
    if (dim.is_broken() || extent < 0 || result.shape.rank == static_cast<int>(std::size(result.shape.dims))) return false;
    result.shape.push_back(extent);
  }
  return !fields.is_broken() && result.is_shape_known;
}

// Appends the values of one field, packed or not, in the layout of elements.
inline bool read_values(const field_reader& field, value_field of, std::size_t element_size, std::string& to) {
  const auto put = [&](std::uint64_t value) { to.append(reinterpret_cast<const char*>(&value), element_size); };
  if (of.form != field_form::varint) {
    const std::size_t size = of.form == field_form::fixed32 ? 4 : 8;
    if (field.form() == field_form::bytes) return to.append(field.bytes()), field.bytes().size() % size == 0;
    const std::uint64_t value = field.value();
    return to.append(reinterpret_cast<const char*>(&value), size), field.form() == of.form;
  }
  if (field.form() == field_form::varint) return put(field.value()), true;
  std::string_view left = field.bytes();
  std::uint64_t value = 0;
  while (!left.empty() && take_varint(left, value)) put(value);
  return field.form() == field_form::bytes && left.empty();
}

inline bool read_tensor_message(std::string_view bytes, tensor_message& result) {
  for (field_reader fields(bytes); fields.next();)  // the type first: it determines the meaning of the other fields
    if (fields.is_varint(tensor_dtype)) result.type = static_cast<dtype>(std::min<std::uint64_t>(fields.value(), 255));
  const std::size_t size = size_of(result.type);
  if (size == 0 || is_counted(result.type)) return false;
  field_reader fields(bytes);
  while (fields.next()) {
    const value_field values = field_of_values(result.type);
    if (fields.number() == tensor_shape) {
      if (fields.form() != field_form::bytes || !read_extents(fields.bytes(), result)) return false;
    } else if (fields.is_bytes(tensor_content)) {
      result.content = fields.bytes();
    } else if (result.type == dtype::string) {
      if (fields.is_bytes(tensor_strings)) result.strings.push_back(fields.bytes());
    } else if (fields.number() == values.number && !read_values(fields, values, size, result.values)) {
      return false;
    }
  }
  return !fields.is_broken();
}

inline error no_tensor(std::string_view why) { return invalid_argument({"the bytes are not a serialized tensor: ", why}); }

inline void fill_plain(any_tensor& t, std::string_view given) {
  auto* to = static_cast<char*>(t.data());
  const std::size_t size = size_of(t.type()), bytes = t.bytes(), there = std::min(given.size() / size * size, bytes);
  std::copy_n(given.data(), there, to);
  if (there == 0) return void(std::fill_n(to, bytes, '\0'));
  for (std::size_t at = there; at < bytes; ++at) to[at] = to[at - size];
}
inline void fill_strings(any_tensor& t, const std::vector<std::string_view>& given) {
  const view<std::string> to = t.as_writable<std::string>();
  for (std::size_t i = 0; i < to.size() && !given.empty(); ++i) to[i] = given[std::min(i, given.size() - 1)];
}
// Reads strings from the content: the lengths of all strings, then their characters. Returns false if the content is anything
// else.
inline bool fill_from_content(any_tensor& t, std::string_view content) {
  const view<std::string> to = t.as_writable<std::string>();
  std::vector<std::uint64_t> lengths(to.size());
  for (std::uint64_t& length : lengths)
    if (!take_varint(content, length)) return false;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (lengths[i] > content.size()) return false;
    to[i] = content.substr(0, static_cast<std::size_t>(lengths[i]));
    content.remove_prefix(static_cast<std::size_t>(lengths[i]));
  }
  return content.empty();
}

}  // namespace detail

FLOWGRAPH_INLINE result<any_tensor> parse_tensor(std::string_view bytes, std::pmr::memory_resource* from,
                                                 std::size_t expanded_bytes) {
  detail::tensor_message m;
  if (!detail::read_tensor_message(bytes, m)) return detail::no_tensor("a field is cut, or the type or the shape is unknown");
  if (detail::is_too_large(m.shape)) return detail::no_tensor("the shape is too large");
  const auto elements = static_cast<std::size_t>(m.shape.size());
  // Strings that are there may be shorter than their objects.
  const std::size_t strings = m.type == dtype::string ? std::max(m.strings.size(), m.content.size()) : 0;
  if (elements > std::max((bytes.size() + expanded_bytes) / size_of(m.type), strings))
    return detail::no_tensor("the values are far too few for the shape");
  const bool has_content = is_plain(m.type) && !m.content.empty();
  if (has_content && m.content.size() != elements * size_of(m.type))
    return detail::no_tensor("the content does not fit the shape");
  auto result = any_tensor::allocate(m.type, m.shape, from);
  if (!result) return result;
  if (m.type == dtype::string && !m.content.empty()) {
    if (!detail::fill_from_content(*result, m.content)) return detail::no_tensor("the content does not fit the strings");
  } else if (m.type == dtype::string) {
    detail::fill_strings(*result, m.strings);
  }
  if (m.type != dtype::string && elements > 0) detail::fill_plain(*result, has_content ? m.content : std::string_view(m.values));
  if (m.type == dtype::boolean)
    for (std::size_t i = 0; i < elements; ++i) {
      auto* byte = static_cast<std::uint8_t*>(result->data()) + i;
      *byte = *byte != 0;
    }
  return result;
}

FLOWGRAPH_INLINE std::string serialize_tensor(const any_tensor& t, bool strings_as_content) {
  std::string text, extents;
  detail::put_varint_field(text, detail::tensor_dtype, static_cast<std::uint64_t>(t.type()));
  for (const std::int64_t extent : t.shape()) {
    std::string dim;
    if (extent != 0) detail::put_varint_field(dim, 1, static_cast<std::uint64_t>(extent));
    detail::put_bytes_field(extents, 2, dim);
  }
  detail::put_bytes_field(text, detail::tensor_shape, extents);
  if (t.type() == dtype::string && strings_as_content && t.size() > 0) {
    std::string content;
    for (const std::string& s : t.as<std::string>()) detail::put_varint(content, s.size());
    for (const std::string& s : t.as<std::string>()) content += s;
    detail::put_bytes_field(text, detail::tensor_content, content);
  } else if (t.type() == dtype::string) {
    for (const std::string& s : t.as<std::string>()) detail::put_bytes_field(text, detail::tensor_strings, s);
  } else if (t.size() > 0) {
    detail::put_bytes_field(text, detail::tensor_content, {static_cast<const char*>(t.data()), t.bytes()});
  }
  return text;
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
