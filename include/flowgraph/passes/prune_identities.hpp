#pragma once
// The pass prune_identities: a node that only hands its input on is taken away, and its readers read that input.
//
// Which ops do so is a fact of their tables (`passes_value`). A node stays where more than its value matters: it is fetched or a
// target, a control edge leads from it, it reads a variable at its place in the order, its device is another than its
// producer's or it is colocated and there are several devices, or it hands on a constant or a feed that a Merge may choose, or a Switch or
// a loop asks for. One that waits for others goes where its readers can wait instead, by no more edges than before.

#include <flowgraph/passes/draft.hpp>
#include <flowgraph/passes/options.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Takes a node that waits for nothing away if it may go; draft::read_instead leads its readers on. Precondition: its own edges lead past
// nodes that are gone.
bool prune_identity(draft& d, draft_node& n);

pass_report prune_identities(draft& d, const pass_options& options);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/prune_identities.hpp>
#endif
