#pragma once

#include <flowgraph/ops/array/strided_slice.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {}  // namespace detail

}  // namespace flowgraph
