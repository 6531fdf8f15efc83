#pragma once
// Views: nodes that hand on the memory of a variable, so that what reads them later sees what was written since. Such are the plain
// reads of imported graphs, as TensorFlow has it (docs/decisions/views.md). The import marks them; the draft of a run resolves them.

#include <flowgraph/config.hpp>
#include <flowgraph/core/error.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct node;

namespace detail {

struct graph_state;
class draft;

// Gives nodes that read a view after a write a read of their own. Refuses, by name, what it cannot keep to. Precondition: the draft is
// as prune made it, and the graph is locked.
FLOWGRAPH_INLINE error resolve_views(const graph_state& g, draft& d);
using view_function = error (*)(const graph_state& g, draft& d);
// Linked by what marks views.
inline constexpr view_function rules_for_views = FLOWGRAPH_FROM_ABOVE(resolve_views);

}  // namespace detail

}
}  // namespace flowgraph
