#pragma once

#include <flowgraph/graph/node.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the argument that value `i` of `values` belongs to; `sizes`, if any, begins with the sizes of these lists.
inline const argument& argument_of(std::span<const argument> declared, std::size_t values, const std::uint32_t* sizes,
                                   std::size_t i) {
  std::size_t at = 0, list = 0, singles = 0;
  for (const argument& a : declared) singles += a.kind == argument::form::single ? 1 : 0;
  for (const argument& a : declared) {
    std::size_t size = 1;
    if (a.kind != argument::form::single) size = sizes ? sizes[list++] : values - singles;
    if (i < at + size) return a;
    at += size;
  }
  return declared.back();
}

}  // namespace detail

FLOWGRAPH_INLINE const argument& detail::input_argument(const op_table& op, std::size_t inputs, const std::uint32_t* list_sizes,
                                                        std::size_t i) {
  if (op.inputs().size() == inputs && !list_sizes) return op.inputs()[i];
  return argument_of(op.inputs(), inputs, list_sizes, i);
}

FLOWGRAPH_INLINE const argument& detail::output_argument(const op_table& op, std::size_t outputs, const std::uint32_t* list_sizes,
                                                         std::size_t i) {
  if (op.outputs().size() == outputs && !list_sizes) return op.outputs()[i];
  const auto lists = std::ranges::count_if(op.inputs(), [](const argument& a) { return a.kind != argument::form::single; });
  return argument_of(op.outputs(), outputs, list_sizes ? list_sizes + lists : nullptr, i);
}

FLOWGRAPH_INLINE const argument& node::input_argument(std::size_t i) const {
  return detail::input_argument(*op, inputs.size(), list_sizes, i);
}

FLOWGRAPH_INLINE const argument& node::output_argument(std::size_t i) const {
  return detail::output_argument(*op, outputs.size(), list_sizes, i);
}

FLOWGRAPH_INLINE std::string name_of(const node& n, std::uint32_t port) {
  return port == 0 ? std::string(n.name) : message{n.name, ':', port};
}

FLOWGRAPH_INLINE std::string name_of(const call_site& at, std::uint32_t port) {
  return port == 0 ? std::string(at.name) : message{at.name, ':', port};
}

FLOWGRAPH_INLINE std::string name_of_input(const call_site& at, std::size_t i) {
  if (i >= at.written_inputs.size()) return message{"input ", i};
  return name_of(*at.written_inputs[i].from, at.written_inputs[i].port);
}

FLOWGRAPH_INLINE dtype type_of_input(const call_site& at, std::size_t i) {
  if (i >= at.written_inputs.size()) return dtype::invalid;
  return at.written_inputs[i].from->outputs[at.written_inputs[i].port].type;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error detail::failed_at(const error& why, const call_site& at) {
  return why.at(at.name, at.op->name(), at.where);
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error detail::refused_shapes(const call_site& at, const shape_context& context,
                                                             std::span<const shape* const> found) {
  std::string text;
  for (std::size_t k = 0; k < found.size(); ++k)
    text += message{(k ? ", " : ""), name_of_input(at, k), " ", name_of(type_of_input(at, k)), *found[k]};
  return invalid_argument({context.message(), "; found ", text.empty() ? "no inputs" : text});
}

FLOWGRAPH_INLINE attribute_value detail::attribute_of(const op_table& op, const void* attributes, std::string_view name) {
  for (const attribute_info& a : op.attributes())
    if (a.name == name) return a.get(attributes);
  return {};
}

}  // namespace flowgraph
