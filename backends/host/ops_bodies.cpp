// Loops and branches from functions that build nodes.

#include <flowgraph/ops/impl/cond.hpp>
#include <flowgraph/ops/impl/while_loop.hpp>
