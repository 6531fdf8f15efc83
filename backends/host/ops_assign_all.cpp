#include <flowgraph/ops/impl/assign_all.hpp>
