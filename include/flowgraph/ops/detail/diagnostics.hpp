#pragma once

#include <flowgraph/ops/debug/diagnostics.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {}  // namespace detail

}  // namespace flowgraph
