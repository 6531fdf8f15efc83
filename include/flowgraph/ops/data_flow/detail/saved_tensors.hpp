#pragma once
// The saved form of the tensors in queues and similar objects: message fields, with one message per list of tensors.

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/formats/fields.hpp>
#include <flowgraph/formats/serialized_tensor.hpp>

#include <span>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Writes a tensor. Returns an error if its elements are resources, which cannot be saved.
inline error put_tensor(std::string& to, std::uint32_t field, const any_tensor& t) {
  if (is_counted(t.type()))
    return error(error_code::unimplemented, message{"elements of type ", name_of(t.type()), " cannot be saved"});
  put_bytes_field(to, field, serialize_tensor(t));
  return {};
}

// Writes a list of tensors as the bytes of one field. A missing tensor is written as an empty one.
inline error put_list(std::string& to, std::uint32_t field, std::span<const any_tensor> list) {
  std::string text;
  for (const any_tensor& t : list) {
    if (!t.has_value()) put_bytes_field(text, 1, {});
    else if (error why = put_tensor(text, 1, t)) return why;
  }
  put_bytes_field(to, field, text);
  return {};
}

inline error parse_list(std::string_view bytes, std::pmr::memory_resource* memory, std::vector<any_tensor>& list) {
  field_reader f(bytes);
  while (f.next()) {
    if (!f.is_bytes(1)) continue;
    any_tensor& t = list.emplace_back();
    if (f.bytes().empty()) continue;
    auto parsed = parse_tensor(f.bytes(), memory);
    if (!parsed) return parsed.error();
    t = *std::move(parsed);
  }
  return f.is_broken() ? error(error_code::data_loss, "the bytes of a list of tensors are damaged") : error();
}

// Returns an error if the list does not have these types.
inline error check_list(std::span<const any_tensor> list, std::span<const dtype> types, bool may_lack = false) {
  bool fits = list.size() == types.size();
  for (std::size_t i = 0; fits && i < list.size(); ++i) fits = list[i].has_value() ? list[i].type() == types[i] : may_lack;
  return fits ? error() : invalid_argument("the saved elements are of other types");
}

FLOWGRAPH_COLD inline error damaged_contents() { return error(error_code::data_loss, "the saved bytes are damaged"); }

}  // namespace flowgraph::detail
