#pragma once

#include <flowgraph/ops/nn/fractional_pool.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {}  // namespace detail

}  // namespace flowgraph
