#pragma once
// The protobuf messages of GraphDef: names, numbers and kinds of their fields. Reading and writing of the text form use these
// tables.

#include <flowgraph/config.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

// The kind of a field's value. Numbers of element types and of full types have names.
enum class field_kind : std::uint8_t { integer, natural, boolean, element_type, full_type, number32, number64, text, message };

enum class message_kind : std::uint8_t {
  graph_def,
  node_def,
  attr_entry,
  attr_value,
  list_value,
  name_attr_list,
  tensor_shape,
  dim,
  tensor,
  versions,
  library,
  function,
  gradient,
  registered_gradient,
  op_def,
  arg_def,
  attr_def,
  deprecation,
  text_entry,
  arg_attr_entry,
  arg_attrs,
  number_entry,
  debug_info,
  full_type,
  resource_handle,
  typed_shape,
  variant,
  none
};

struct field {
  std::string_view name;
  std::uint32_t number;
  field_kind kind;
  message_kind of = message_kind::none;
};

std::span<const field> fields_of(message_kind m);

// Returns a name such as "DT_FLOAT", "DT_FLOAT_REF" or "TFT_TENSOR"; an empty text if the number has no name.
std::string name_of_number(field_kind kind, std::int64_t number);
// Returns -1 if there is no such name.
std::int64_t number_of_name(field_kind kind, std::string_view name);

}  // namespace flowgraph::protobuf
