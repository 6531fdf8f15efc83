#pragma once
// Pools over regions of random sizes.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

using fractional_pool_ops = type_list<>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/detail/fractional_pool.hpp>
#endif
