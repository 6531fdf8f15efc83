#pragma once

#include <flowgraph/ops/linear_algebra/matrix_diagonal.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {}  // namespace detail

}  // namespace flowgraph
