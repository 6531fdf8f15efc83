#pragma once

#include <flowgraph/ops/training/rms_prop.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {}  // namespace detail

}  // namespace flowgraph
