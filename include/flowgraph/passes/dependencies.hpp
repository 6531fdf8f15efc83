#pragma once
// The pass `dependencies` removes control edges that are implied by other edges, and nodes that have only control edges left: a
// NoOp, an identity that only waits, or a node whose value is not read. Nodes that waited for a removed node then wait for its
// inputs and control inputs, if this does not add edges.
//
// Nodes with effects run in the same order as before. A node without effects whose value is not read is not run, so its possible
// error does not occur; a node that reads a variable by reference is kept. Nodes on a branch keep a control edge within the
// branch, because a control edge cannot start at one side of a Switch.

#include <flowgraph/passes/options.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t dependencies(const further_pass& self, draft& d, pass_call& call);

}  // namespace detail

namespace passes {

inline constexpr further_pass dependencies{"dependencies", pass_stage::before_placement, &detail::dependencies};

}  // namespace passes

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/dependencies.hpp>
#endif
