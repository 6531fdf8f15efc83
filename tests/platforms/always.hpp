#include <flowgraph/ops/exchange.hpp>
#include <flowgraph/runtime/joint_run.hpp>
