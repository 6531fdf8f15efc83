#pragma once

#include <flowgraph/passes/draft.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the node that names the variable of a reference edge or a handle; null if the edge carries neither.
inline const draft_node* variable_behind(draft_edge e) {
  for (;;) {
    const draft_node* n = e.from;
    const output_info& o = n->outputs[e.port];
    if (!o.is_reference && o.type != dtype::resource) return nullptr;
    // A node passes on the reference or handle of its first such input. The back edge of a loop leads to the same variable.
    const draft_edge* next = nullptr;
    for (const draft_edge& in : n->inputs) {
      const output_info& source = in.from->outputs[in.port];
      const bool is_back_edge = in.from->table && in.from->table->control == control_flow::next_iteration;
      if (!is_back_edge && (source.is_reference || source.type == dtype::resource)) {
        next = &in;
        break;
      }
    }
    if (!next) return n;
    e = *next;
  }
}

}  // namespace flowgraph::detail
