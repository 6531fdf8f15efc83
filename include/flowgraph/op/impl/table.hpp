#pragma once

#include <flowgraph/op/table.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

FLOWGRAPH_INLINE std::string to_string(const op_table& table) {
  std::string text(table.name);
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
