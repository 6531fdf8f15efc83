#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/table.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE void detail::side_by_side::lay(const shape_inputs& in) {
  const std::size_t count = in.shapes.size();
  std::size_t i = 0;
  while (i < count && in.shapes[i] == in.shapes[0] + i) ++i;
  if (i < count) {
    copies_.reserve(count);
    for (const shape* s : in.shapes) copies_.push_back(*s);
  }
  first_ = i < count ? copies_.data() : count > 0 ? in.shapes[0] : nullptr;
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

}  // namespace flowgraph
