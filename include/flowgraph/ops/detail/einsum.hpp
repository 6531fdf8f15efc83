#pragma once

#include <flowgraph/ops/linear_algebra/einsum.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {}  // namespace detail

}  // namespace flowgraph
