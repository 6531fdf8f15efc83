#pragma once
// The pass known_shapes: Shape, ShapeN, Size, Rank and all else that depends on shapes alone is a constant where the graph's shape rules
// tell the shapes and no run can have others. A result of more than pass_options::folded_bytes is left alone.
//
// A shape is certain where rules alone lead to it from constants, feeds and placeholders. That of a variable is not: an assignment
// may give it another. On branches and in loops a node stays, since it may be dead.
//
// What depends on constants alone and waits for others no longer does, where those always run: then it can be folded.

#include <flowgraph/passes/options.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

std::size_t known_shapes(draft& d, pass_call& call);

}  // namespace detail

namespace passes {

inline constexpr further_pass known_shapes{"known_shapes", &detail::known_shapes};

}  // namespace passes

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/passes/impl/known_shapes.hpp>
#endif
