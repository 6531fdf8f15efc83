#pragma once
// The kernels of element-wise ops, for a program's own ops: flowgraph::compiled only contains those of the library's ops.

#include <flowgraph/ops/shared/detail/elementwise.hpp>
