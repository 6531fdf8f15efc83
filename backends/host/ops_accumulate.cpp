#include <flowgraph/ops/accumulate.hpp>

#include <flowgraph/ops/impl/accumulate.hpp>
