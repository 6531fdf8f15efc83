#pragma once
// The functions of passes for nodes with control inputs.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/control_nodes.hpp>
#include <flowgraph/passes/fold_constants.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct waiting_rules {
  // Removes those of the given identities whose readers can wait instead, and returns their number. Precondition: all of them may
  // be removed.
  std::size_t (*prune_identities)(draft& d, const sequence<draft_node*>& all);
  // Calls constant_folding::fold_waiting.
  void (*fold_constants)(constant_folding& folding, draft& d, node_runner run);
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/waiting_rules.hpp>
#endif
