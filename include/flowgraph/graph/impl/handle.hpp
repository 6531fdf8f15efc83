#pragma once

#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/graph/handle.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE error detail::refused_handle(const any_out& handle, dtype expected, const std::source_location& where) {
  if (!handle.source) return detail::invalid_argument("an empty handle names no output").at(where);
  const node& n = *handle.source;
  if (n.is_poison()) {
    const error& first = n.graph->first_error;
    return first ? first : error(error_code::failed_precondition, "the handle's node could not be made").at(where);
  }
  if (handle.port >= n.outputs.size())
    return detail::invalid_argument(
               {"node '", n.name, "' has ", n.outputs.size(), " outputs; there is no '", n.name, ":", handle.port, "'"})
        .at(n.name, n.op->name(), where);
  return detail::invalid_argument({"'", n.name, ":", handle.port, "' has elements of type ", name_of(n.outputs[handle.port].type),
                                   ", expected ", name_of(expected)})
      .at(n.name, n.op->name(), where);
}

FLOWGRAPH_SELDOM any_out detail::handle_at(const node& n, bool is_output, std::uint32_t port) {
  if (is_output) return {const_cast<node*>(&n), port};
  const edge e = n.inputs[port];
  return {e.from, e.port};
}

}  // namespace flowgraph
