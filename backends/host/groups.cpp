// The pass that makes groups, and the kernels of groups.
#include <flowgraph/passes/impl/finish_results.hpp>
#include <flowgraph/passes/impl/group_elementwise.hpp>
