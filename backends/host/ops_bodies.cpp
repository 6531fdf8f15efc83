// Loops and branches from functions that build nodes, and the gradients of loops.

#include <flowgraph/ops/control_flow/impl/cond.hpp>
#include <flowgraph/ops/control_flow/impl/loop_gradient.hpp>
#include <flowgraph/ops/control_flow/impl/while_loop.hpp>
