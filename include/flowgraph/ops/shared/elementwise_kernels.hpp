#pragma once
// The kernels of element-wise ops. A program needs this header for its own ops: flowgraph::compiled only contains the kernels of
// the library's ops.

#include <flowgraph/ops/shared/detail/elementwise.hpp>
