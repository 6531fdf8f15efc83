#pragma once

#include <flowgraph/ops/array/scatter_nd.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {}  // namespace detail

}  // namespace flowgraph
