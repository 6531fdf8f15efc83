#pragma once

#include <flowgraph/ops/nn/convolution_3d.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {}  // namespace detail

}  // namespace flowgraph
