#pragma once
// The pass dependencies: control edges that order nothing that is not ordered anyway go, and so do nodes of which only control edges
// are left: a NoOp, an identity that only waits, a node that others wait for and nobody reads. Who waited for such a node waits for
// what it waited for and what it read, where this makes no more edges.
//
// What has an effect runs in the order in which it ran. A node without effect whose value nobody reads is not run, so an error that it
// would raise goes with it; one that reads a variable by reference stays. What stands on a branch keeps an anchor there: a control
// edge cannot lead from one side of a Switch.

#include <flowgraph/passes/options.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

std::size_t dependencies(draft& d, pass_call& call);

}  // namespace detail

namespace passes {

inline constexpr further_pass dependencies{"dependencies", &detail::dependencies};

}  // namespace passes

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/dependencies.hpp>
#endif
