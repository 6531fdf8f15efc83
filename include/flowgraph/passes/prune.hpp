#pragma once
// The first stage of planning: copies the nodes that feeds, fetches and targets need from a graph to a draft.

#include <flowgraph/core/error.hpp>
#include <flowgraph/passes/draft.hpp>

#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Fills an empty draft. Returns an error for handles that are empty, poisoned or of another graph, for cycles that are not loops,
// and for loops without a back edge. Precondition: the graph is locked, and stays locked while the draft is used.
error prune(const graph_state& g, std::span<const any_out> feeds, std::span<const any_out> fetches,
            std::span<const target> targets, draft& drafted);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/prune.hpp>
#endif
