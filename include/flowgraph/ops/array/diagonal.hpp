#pragma once
// Tensors made of a diagonal, and their diagonals.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

using diagonal_ops = type_list<>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/detail/diagonal.hpp>
#endif
