#include <flowgraph/deploy/impl/freeze.hpp>
#include <flowgraph/ops/impl/erased_tables.hpp>
