#pragma once
// Sines, cosines, tangents, their inverses and hyperbolic kin.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

using trigonometry_ops = type_list<>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/detail/trigonometry.hpp>
#endif
