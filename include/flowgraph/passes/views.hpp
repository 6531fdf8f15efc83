#pragma once
// Views: nodes that hand on the memory of a variable, so that nodes that read them later see the values written since. The plain
// reads of imported graphs are views, as in TensorFlow (docs/decisions/views.md). The import marks them; the draft of a run resolves
// them.

#include <flowgraph/core/error.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/passes/draft.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Gives nodes that read a view after a write a read of their own. Refuses, by name, a read that it does not support. Precondition:
// the draft is as prune made it, and the graph is locked.
FLOWGRAPH_INLINE error resolve_views(const graph_state& g, draft& d);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/views.hpp>
#endif
