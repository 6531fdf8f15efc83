#include "messages.hpp"

#include <iterator>

namespace flowgraph::inline FLOWGRAPH_ABI::protobuf {

namespace {

constexpr auto integer = field_kind::integer, natural = field_kind::natural, boolean = field_kind::boolean;
constexpr auto element_type = field_kind::element_type, full_type = field_kind::full_type;
constexpr auto number32 = field_kind::number32, number64 = field_kind::number64;
constexpr auto text = field_kind::text, part = field_kind::message;
using in = message_kind;

constexpr field graph_def_fields[] = {{"node", 1, part, in::node_def},
                                      {"library", 2, part, in::library},
                                      {"version", 3, integer},
                                      {"versions", 4, part, in::versions}};
constexpr field node_def_fields[] = {{"name", 1, text},
                                     {"op", 2, text},
                                     {"input", 3, text},
                                     {"device", 4, text},
                                     {"attr", 5, part, in::attr_entry},
                                     {"experimental_debug_info", 6, part, in::debug_info},
                                     {"experimental_type", 7, part, in::full_type}};
constexpr field attr_entry_fields[] = {{"key", 1, text}, {"value", 2, part, in::attr_value}};
constexpr field attr_value_fields[] = {{"list", 1, part, in::list_value},
                                       {"s", 2, text},
                                       {"i", 3, integer},
                                       {"f", 4, number32},
                                       {"b", 5, boolean},
                                       {"type", 6, element_type},
                                       {"shape", 7, part, in::tensor_shape},
                                       {"tensor", 8, part, in::tensor},
                                       {"placeholder", 9, text},
                                       {"func", 10, part, in::name_attr_list}};
constexpr field list_value_fields[] = {{"s", 2, text},
                                       {"i", 3, integer},
                                       {"f", 4, number32},
                                       {"b", 5, boolean},
                                       {"type", 6, element_type},
                                       {"shape", 7, part, in::tensor_shape},
                                       {"tensor", 8, part, in::tensor},
                                       {"func", 9, part, in::name_attr_list}};
constexpr field name_attr_list_fields[] = {{"name", 1, text}, {"attr", 2, part, in::attr_entry}};
constexpr field tensor_shape_fields[] = {{"dim", 2, part, in::dim}, {"unknown_rank", 3, boolean}};
constexpr field dim_fields[] = {{"size", 1, integer}, {"name", 2, text}};
constexpr field tensor_fields[] = {{"dtype", 1, element_type},
                                   {"tensor_shape", 2, part, in::tensor_shape},
                                   {"version_number", 3, integer},
                                   {"tensor_content", 4, text},
                                   {"float_val", 5, number32},
                                   {"double_val", 6, number64},
                                   {"int_val", 7, integer},
                                   {"string_val", 8, text},
                                   {"scomplex_val", 9, number32},
                                   {"int64_val", 10, integer},
                                   {"bool_val", 11, boolean},
                                   {"dcomplex_val", 12, number64},
                                   {"half_val", 13, integer},
                                   {"resource_handle_val", 14, part, in::resource_handle},
                                   {"variant_val", 15, part, in::variant},
                                   {"uint32_val", 16, natural},
                                   {"uint64_val", 17, natural},
                                   {"float8_val", 18, text}};
constexpr field versions_fields[] = {{"producer", 1, integer}, {"min_consumer", 2, integer}, {"bad_consumers", 3, integer}};
constexpr field library_fields[] = {{"function", 1, part, in::function},
                                    {"gradient", 2, part, in::gradient},
                                    {"registered_gradients", 3, part, in::registered_gradient}};
constexpr field function_fields[] = {
    {"signature", 1, part, in::op_def},        {"attr", 5, part, in::attr_entry},
    {"arg_attr", 7, part, in::arg_attr_entry}, {"resource_arg_unique_id", 8, part, in::number_entry},
    {"node_def", 3, part, in::node_def},       {"ret", 4, part, in::text_entry},
    {"control_ret", 6, part, in::text_entry}};
constexpr field gradient_fields[] = {{"function_name", 1, text}, {"gradient_func", 2, text}};
constexpr field registered_gradient_fields[] = {{"gradient_func", 1, text}, {"registered_op_type", 2, text}};
constexpr field op_def_fields[] = {{"name", 1, text},
                                   {"input_arg", 2, part, in::arg_def},
                                   {"output_arg", 3, part, in::arg_def},
                                   {"attr", 4, part, in::attr_def},
                                   {"summary", 5, text},
                                   {"description", 6, text},
                                   {"deprecation", 8, part, in::deprecation},
                                   {"is_aggregate", 16, boolean},
                                   {"is_stateful", 17, boolean},
                                   {"is_commutative", 18, boolean},
                                   {"allows_uninitialized_input", 19, boolean},
                                   {"control_output", 20, text},
                                   {"is_distributed_communication", 21, boolean}};
constexpr field arg_def_fields[] = {{"name", 1, text},
                                    {"description", 2, text},
                                    {"type", 3, element_type},
                                    {"type_attr", 4, text},
                                    {"number_attr", 5, text},
                                    {"type_list_attr", 6, text},
                                    {"handle_data", 7, part, in::typed_shape},
                                    {"is_ref", 16, boolean},
                                    {"experimental_full_type", 17, part, in::full_type}};
constexpr field attr_def_fields[] = {
    {"name", 1, text},           {"type", 2, text},       {"default_value", 3, part, in::attr_value}, {"description", 4, text},
    {"has_minimum", 5, boolean}, {"minimum", 6, integer}, {"allowed_values", 7, part, in::attr_value}};
constexpr field deprecation_fields[] = {{"version", 1, integer}, {"explanation", 2, text}};
constexpr field text_entry_fields[] = {{"key", 1, text}, {"value", 2, text}};
constexpr field arg_attr_entry_fields[] = {{"key", 1, integer}, {"value", 2, part, in::arg_attrs}};
constexpr field arg_attrs_fields[] = {{"attr", 1, part, in::attr_entry}};
constexpr field number_entry_fields[] = {{"key", 1, integer}, {"value", 2, integer}};
constexpr field debug_info_fields[] = {{"original_node_names", 1, text}, {"original_func_names", 2, text}};
constexpr field full_type_fields[] = {
    {"type_id", 1, full_type}, {"args", 2, part, in::full_type}, {"s", 3, text}, {"i", 4, integer}};
constexpr field resource_handle_fields[] = {
    {"device", 1, text},       {"container", 2, text},       {"name", 3, text},
    {"hash_code", 4, natural}, {"maybe_type_name", 5, text}, {"dtypes_and_shapes", 6, part, in::typed_shape}};
constexpr field typed_shape_fields[] = {{"dtype", 1, element_type}, {"shape", 2, part, in::tensor_shape}};
constexpr field variant_fields[] = {{"type_name", 1, text}, {"metadata", 2, text}, {"tensors", 3, part, in::tensor}};

constexpr std::string_view type_names[] = {"DT_INVALID",
                                           "DT_FLOAT",
                                           "DT_DOUBLE",
                                           "DT_INT32",
                                           "DT_UINT8",
                                           "DT_INT16",
                                           "DT_INT8",
                                           "DT_STRING",
                                           "DT_COMPLEX64",
                                           "DT_INT64",
                                           "DT_BOOL",
                                           "DT_QINT8",
                                           "DT_QUINT8",
                                           "DT_QINT32",
                                           "DT_BFLOAT16",
                                           "DT_QINT16",
                                           "DT_QUINT16",
                                           "DT_UINT16",
                                           "DT_COMPLEX128",
                                           "DT_HALF",
                                           "DT_RESOURCE",
                                           "DT_VARIANT",
                                           "DT_UINT32",
                                           "DT_UINT64",
                                           "DT_FLOAT8_E5M2",
                                           "DT_FLOAT8_E4M3FN",
                                           "DT_FLOAT8_E4M3FNUZ",
                                           "DT_FLOAT8_E4M3B11FNUZ",
                                           "DT_FLOAT8_E5M2FNUZ",
                                           "DT_INT4",
                                           "DT_UINT4",
                                           "DT_INT2",
                                           "DT_UINT2"};
constexpr std::int64_t reference_offset = 100;

struct numbered {
  std::string_view name;
  std::int64_t number;
};
constexpr numbered full_types[] = {{"TFT_UNSET", 0},
                                   {"TFT_VAR", 1},
                                   {"TFT_ANY", 2},
                                   {"TFT_PRODUCT", 3},
                                   {"TFT_NAMED", 4},
                                   {"TFT_FOR_EACH", 20},
                                   {"TFT_CALLABLE", 100},
                                   {"TFT_TENSOR", 1000},
                                   {"TFT_ARRAY", 1001},
                                   {"TFT_OPTIONAL", 1002},
                                   {"TFT_LITERAL", 1003},
                                   {"TFT_ENCODED", 1004},
                                   {"TFT_SHAPE_TENSOR", 1005},
                                   {"TFT_BOOL", 200},
                                   {"TFT_UINT8", 201},
                                   {"TFT_UINT16", 202},
                                   {"TFT_UINT32", 203},
                                   {"TFT_UINT64", 204},
                                   {"TFT_INT8", 205},
                                   {"TFT_INT16", 206},
                                   {"TFT_INT32", 207},
                                   {"TFT_INT64", 208},
                                   {"TFT_HALF", 209},
                                   {"TFT_FLOAT", 210},
                                   {"TFT_DOUBLE", 211},
                                   {"TFT_BFLOAT16", 215},
                                   {"TFT_COMPLEX64", 212},
                                   {"TFT_COMPLEX128", 213},
                                   {"TFT_STRING", 214},
                                   {"TFT_DATASET", 10102},
                                   {"TFT_RAGGED", 10103},
                                   {"TFT_ITERATOR", 10104},
                                   {"TFT_MUTEX_LOCK", 10202},
                                   {"TFT_LEGACY_VARIANT", 10203}};

}  // namespace

std::span<const field> fields_of(message_kind m) {
  switch (m) {
    case message_kind::graph_def: return graph_def_fields;
    case message_kind::node_def: return node_def_fields;
    case message_kind::attr_entry: return attr_entry_fields;
    case message_kind::attr_value: return attr_value_fields;
    case message_kind::list_value: return list_value_fields;
    case message_kind::name_attr_list: return name_attr_list_fields;
    case message_kind::tensor_shape: return tensor_shape_fields;
    case message_kind::dim: return dim_fields;
    case message_kind::tensor: return tensor_fields;
    case message_kind::versions: return versions_fields;
    case message_kind::library: return library_fields;
    case message_kind::function: return function_fields;
    case message_kind::gradient: return gradient_fields;
    case message_kind::registered_gradient: return registered_gradient_fields;
    case message_kind::op_def: return op_def_fields;
    case message_kind::arg_def: return arg_def_fields;
    case message_kind::attr_def: return attr_def_fields;
    case message_kind::deprecation: return deprecation_fields;
    case message_kind::text_entry: return text_entry_fields;
    case message_kind::arg_attr_entry: return arg_attr_entry_fields;
    case message_kind::arg_attrs: return arg_attrs_fields;
    case message_kind::number_entry: return number_entry_fields;
    case message_kind::debug_info: return debug_info_fields;
    case message_kind::full_type: return full_type_fields;
    case message_kind::resource_handle: return resource_handle_fields;
    case message_kind::typed_shape: return typed_shape_fields;
    case message_kind::variant: return variant_fields;
    case message_kind::none: break;
  }
  return {};
}

namespace {

std::string name_of_element(std::int64_t number) {
  const bool reference = number > reference_offset;
  const std::int64_t base = reference ? number - reference_offset : number;
  if (base < 0 || base >= static_cast<std::int64_t>(std::size(type_names))) return {};
  return std::string(type_names[base]) + (reference ? "_REF" : "");
}

std::int64_t element_of_name(std::string_view name) {
  const bool reference = name.ends_with("_REF");
  if (reference) name.remove_suffix(4);
  for (std::size_t i = 0; i < std::size(type_names); ++i)
    if (type_names[i] == name) return static_cast<std::int64_t>(i) + (reference ? reference_offset : 0);
  return -1;
}

}  // namespace

std::string name_of_number(field_kind kind, std::int64_t number) {
  if (kind == field_kind::element_type) return name_of_element(number);
  if (kind == field_kind::full_type)
    for (const numbered& each : full_types)
      if (each.number == number) return std::string(each.name);
  return {};
}

std::int64_t number_of_name(field_kind kind, std::string_view name) {
  if (kind == field_kind::element_type) return element_of_name(name);
  if (kind == field_kind::full_type)
    for (const numbered& each : full_types)
      if (each.name == name) return each.number;
  return -1;
}

}  // namespace flowgraph::protobuf
