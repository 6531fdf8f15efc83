#pragma once
// Views: nodes that pass on the memory of a variable, so that later readers see the values written since. The plain reads of
// imported graphs are views, as in TensorFlow (docs/decisions/views.md). The import marks them, and the draft of a run resolves
// them.

#include <flowgraph/core/error.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/passes/draft.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Gives nodes that read a view after a write their own read of the variable. If a read is not supported, returns an error that
// names the read. Precondition: the draft is unchanged since `prune`, and the graph is locked.
FLOWGRAPH_INLINE error resolve_views(const graph_state& g, draft& d);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/views.hpp>
#endif
