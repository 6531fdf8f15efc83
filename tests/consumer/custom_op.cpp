#include "custom_op.hpp"

void register_custom_ops(flowgraph::registry& ops) { flowgraph::add_op<twice>(ops).value(); }
