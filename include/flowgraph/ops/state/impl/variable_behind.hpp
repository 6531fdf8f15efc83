#pragma once

#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/ops/state/variable_behind.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM error detail::check_handle(const any_out& handle, dtype type, const std::source_location& where) {
  const bool is_handle = handle.is_usable() && handle.source->op->of_variable == variable_role::handle && handle.port == 0;
  if (!is_handle) return detail::invalid_argument({"expected the handle of a variable, found '", handle.name(), "'"}).at(where);
  const dtype held = handle.source->op->types()[0].type;
  if (held == type) return {};
  return detail::invalid_argument(
             {"the variable behind handle '", handle.name(), "' is ", name_of(held), ", expected ", name_of(type)})
      .at(where);
}

FLOWGRAPH_SELDOM node* detail::find_variable_of(const any_out& handle, variable_of_handle_op& op) {
  const attribute_value declared = attribute_of(*handle.source, "shape");
  if (const shape* const known = declared.get<shape>()) op.declared = *known;
  const graph_state& g = *handle.source->graph;
  threading::lock_guard lock(g.mutex);
  for (node* const n : g.nodes)
    if (n->op->of_variable == variable_role::of_handle && n->inputs[0].from == handle.source) return n;
  return nullptr;
}

}  // namespace flowgraph
