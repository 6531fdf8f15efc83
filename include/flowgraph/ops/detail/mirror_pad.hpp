#pragma once

#include <flowgraph/ops/array/mirror_pad.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {}  // namespace detail

}  // namespace flowgraph
