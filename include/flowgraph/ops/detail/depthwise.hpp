#pragma once

#include <flowgraph/ops/nn/depthwise.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {}  // namespace detail

}  // namespace flowgraph
