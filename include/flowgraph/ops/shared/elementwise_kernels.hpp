#pragma once
// The kernels of element-wise ops, for ops of a program's own: with flowgraph::compiled the archive has those of the library's alone.

#include <flowgraph/ops/shared/detail/elementwise.hpp>
