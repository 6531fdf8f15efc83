#pragma once
// The pass dead_switches: where a Switch asks a constant, the branch that is never taken goes, the living one reads what the Switch
// reads, and a Merge with one living input hands that on.
//
// A dead node stays where a fetch or a target depends on it, so that it is refused as before; so does a Switch or a Merge that a
// control edge leads to or from. Branches that hold loops, and Switches and Merges of references, are left alone.

#include <flowgraph/passes/options.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

std::size_t dead_switches(draft& d, pass_call& call);

}  // namespace detail

namespace passes {

inline constexpr further_pass dead_switches{"dead_switches", &detail::dead_switches};

}  // namespace passes

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/dead_switches.hpp>
#endif
