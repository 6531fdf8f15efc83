#pragma once

#include <flowgraph/ops/nn/pool_argmax.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {}  // namespace detail

}  // namespace flowgraph
