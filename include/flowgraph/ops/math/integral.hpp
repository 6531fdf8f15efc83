#pragma once
// Functions that are integrals: exponential, Fresnel, Dawson, Spence.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

using integral_ops = type_list<>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/detail/integral.hpp>
#endif
