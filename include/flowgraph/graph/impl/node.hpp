#pragma once

#include <flowgraph/graph/node.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// The argument that value `i` of `values` belongs to; `sizes`, if any, begins with the sizes of these lists.
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

FLOWGRAPH_INLINE const argument& node::input_argument(std::size_t i) const {
  if (op->inputs().size() == inputs.size() && !list_sizes) return op->inputs()[i];
  return detail::argument_of(op->inputs(), inputs.size(), list_sizes, i);
}

FLOWGRAPH_INLINE const argument& node::output_argument(std::size_t i) const {
  if (op->outputs().size() == outputs.size() && !list_sizes) return op->outputs()[i];
  const auto lists = std::ranges::count_if(op->inputs(), [](const argument& a) { return a.kind != argument::form::single; });
  return detail::argument_of(op->outputs(), outputs.size(), list_sizes ? list_sizes + lists : nullptr, i);
}

FLOWGRAPH_INLINE std::string name_of(const node& n, std::uint32_t port) {
  return port == 0 ? std::string(n.name) : message{n.name, ':', port};
}

FLOWGRAPH_INLINE attribute_value detail::attribute_of(const node& n, std::string_view name) {
  for (const attribute_info& a : n.op->attributes())
    if (a.name == name) return a.get(n.attributes);
  return {};
}

}
}  // namespace flowgraph
