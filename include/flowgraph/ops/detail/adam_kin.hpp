#pragma once

#include <flowgraph/ops/training/adam_kin.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {}  // namespace detail

}  // namespace flowgraph
