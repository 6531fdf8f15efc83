// What kernels of several families share.

#include <flowgraph/ops/impl/move.hpp>
#include <flowgraph/ops/impl/window.hpp>
