#pragma once
// The pass `dead_switches` handles Switches with a constant predicate: it removes the branch that is never taken, connects the
// live branch to the input of the Switch, and replaces a Merge with one live input by that input.
//
// A dead node is kept if a fetch or a target depends on it, so that the run still reports it. A Switch or a Merge with control
// edges is kept too. Branches that contain loops, and Switches and Merges of references, are not changed.

#include <flowgraph/passes/options.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t dead_switches(const further_pass& self, draft& d, pass_call& call);

}  // namespace detail

namespace passes {

inline constexpr further_pass dead_switches{"dead_switches", pass_stage::before_placement, &detail::dead_switches};

}  // namespace passes

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/dead_switches.hpp>
#endif
