#pragma once
// What passes do about nodes that wait for others besides their inputs.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/control_nodes.hpp>
#include <flowgraph/passes/fold_constants.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

struct waiting_rules {
  // Takes away those of these identities, which may all go, whose readers can wait instead; returns how many.
  std::size_t (*prune_identities)(draft& d, const sequence<draft_node*>& all);
  // constant_folding::fold_waiting
  void (*fold_constants)(constant_folding& folding, draft& d, node_runner run);
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/waiting_rules.hpp>
#endif
