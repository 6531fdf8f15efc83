#include <flowgraph/ops/impl/all.hpp>
