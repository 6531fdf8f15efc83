// The pass that makes groups, and the kernel of a group.
#include <flowgraph/passes/impl/group_elementwise.hpp>
