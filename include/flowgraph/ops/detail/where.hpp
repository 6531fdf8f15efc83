#pragma once

#include <flowgraph/ops/array/where.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {}  // namespace detail

}  // namespace flowgraph
