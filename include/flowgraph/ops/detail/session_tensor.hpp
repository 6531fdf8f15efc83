#pragma once

#include <flowgraph/ops/state/session_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {}  // namespace detail

}  // namespace flowgraph
