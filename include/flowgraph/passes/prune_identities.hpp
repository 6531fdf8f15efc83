#pragma once
// The pass `prune_identities` removes nodes that only pass on their input; their readers then read that input.
//
// The table of an op states whether it passes on its input (`passes_value`). A node is kept if it has another purpose: it is
// fetched or a target; a control edge starts at it; it reads a variable at a certain time; its device differs from that of its
// producer, or it is colocated and there are several devices; or it passes a constant or a feed to a Merge, a Switch or a loop. A
// node with control inputs is removed if its readers can wait instead, with no more edges than before.
//
// A node with several values is removed if only its first output is read, and the other inputs always exist when the first exists:
// they are constants, feeds, or values from which the first was computed.

#include <flowgraph/passes/draft.hpp>
#include <flowgraph/passes/options.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Removes a node without control inputs, if possible; draft::read_instead redirects its readers. Precondition: its own edges skip
// nodes that were removed.
bool prune_identity(draft& d, draft_node& n);

pass_report prune_identities(draft& d, const pass_options& options);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/prune_identities.hpp>
#endif
