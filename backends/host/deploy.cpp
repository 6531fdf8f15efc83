#include <flowgraph/deploy/impl/freeze.hpp>
#include <flowgraph/ops/control_flow/impl/erased_tables.hpp>
