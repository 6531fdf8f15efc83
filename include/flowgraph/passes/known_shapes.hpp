#pragma once
// The pass `known_shapes` replaces Shape, ShapeN, Size, Rank and other nodes that depend only on shapes by constants, if the
// graph's shape rules determine the shapes for all runs. Results larger than pass_options::folded_bytes are not replaced.
//
// A shape is certain if shape rules derive it from constants, feeds and placeholders. The shape of a variable is not certain,
// because an assignment may change it. Nodes in branches and loops are kept, since they may be dead.
//
// The pass also removes control inputs from nodes that depend only on constants, if these control inputs always run. Then the
// nodes can be folded.

#include <flowgraph/passes/options.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

std::size_t known_shapes(const further_pass& self, draft& d, pass_call& call);

}  // namespace detail

namespace passes {

inline constexpr further_pass known_shapes{"known_shapes", pass_stage::before_placement, &detail::known_shapes};

}  // namespace passes

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/known_shapes.hpp>
#endif
