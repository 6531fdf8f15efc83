#include "custom_op.hpp"

void register_custom_ops(flowgraph::registry& ops) { ops.add<twice>(); }
