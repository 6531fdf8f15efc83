#pragma once

#include <flowgraph/ops/nn/batch_norm.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {}  // namespace detail

}  // namespace flowgraph
