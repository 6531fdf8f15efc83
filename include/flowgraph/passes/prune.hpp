#pragma once
// The first stage of planning: what feeds, fetches and targets need of a graph, as a draft.

#include <flowgraph/core/error.hpp>
#include <flowgraph/passes/draft.hpp>

#include <span>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Fills an empty draft. Refuses handles that are empty, poisoned or of another graph, cycles that are no loops, and loops that were
// never closed. Precondition: the graph is locked, and stays so while the draft is in use.
error prune(const graph_state& g, std::span<const any_out> feeds, std::span<const any_out> fetches,
            std::span<const target> targets, draft& made);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/prune.hpp>
#endif
