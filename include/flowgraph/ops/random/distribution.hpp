#pragma once
// Random numbers of distributions: gamma, Poisson, multinomial, truncated normal.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

using distribution_ops = type_list<>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/detail/distribution.hpp>
#endif
