#pragma once
// Slices picked by index vectors.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

using gather_nd_ops = type_list<>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/detail/gather_nd.hpp>
#endif
