#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/table.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

FLOWGRAPH_INLINE detail::sequence<shape> detail::side_by_side(const shape_inputs& in) {
  detail::sequence<shape> all;
  all.reserve(in.shapes.size());
  for (const shape* s : in.shapes) all.push_back(*s);
  return all;
}

FLOWGRAPH_INLINE std::string to_string(const op_table& table) {
  std::string text(table.name());
  const char* separator = "<";
  for (const type_binding t : table.types()) {
    text += separator;
    text += name_of(t.type);
    separator = ", ";
  }
  return table.types().empty() ? text : text + '>';
}

}
}  // namespace flowgraph
