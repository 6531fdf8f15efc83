// Loops and branches from functions that build nodes, and the gradients of loops.

#include <flowgraph/ops/impl/cond.hpp>
#include <flowgraph/ops/impl/loop_gradient.hpp>
#include <flowgraph/ops/impl/while_loop.hpp>
