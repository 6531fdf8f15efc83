#pragma once

#include <flowgraph/graph/node.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

FLOWGRAPH_INLINE const argument& node::input_argument(std::size_t i) const {
  const auto declared = op->inputs;
  if (declared.size() == inputs.size() && !list_sizes) return declared[i];
  std::size_t at = 0, list = 0, singles = 0;
  for (const argument& a : declared) singles += a.kind == argument::form::single ? 1 : 0;
  for (const argument& a : declared) {
    std::size_t size = 1;
    if (a.kind != argument::form::single) size = list_sizes ? list_sizes[list++] : inputs.size() - singles;
    if (i < at + size) return a;
    at += size;
  }
  return declared.back();
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
