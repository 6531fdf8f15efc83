#pragma once
// Slices of variables written or added by index vectors.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

using variable_scatter_nd_ops = type_list<>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/detail/variable_scatter_nd.hpp>
#endif
