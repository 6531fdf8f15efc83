#pragma once

#include <flowgraph/ops/state/in_place.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {}  // namespace detail

}  // namespace flowgraph
