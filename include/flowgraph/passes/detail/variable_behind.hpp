#pragma once

#include <flowgraph/passes/draft.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// The node that names the variable at the origin of a reference edge or a handle; null when the edge carries neither.
inline const draft_node* variable_behind(draft_edge e) {
  for (;;) {
    const draft_node* n = e.from;
    const output_info& o = n->outputs[e.port];
    if (!o.is_reference && o.type != dtype::resource) return nullptr;
    // What hands a reference or handle on does it from its first such input.
    const draft_edge* next = nullptr;
    for (const draft_edge& in : n->inputs) {
      const output_info& source = in.from->outputs[in.port];
      if (in.from->position < n->position && (source.is_reference || source.type == dtype::resource)) {
        next = &in;
        break;
      }
    }
    if (!next) return n;
    e = *next;
  }
}

}  // namespace detail

}
}  // namespace flowgraph
