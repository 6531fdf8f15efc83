// Ordinary functions that families share, and those of families without kernels of their own.

#include <flowgraph/ops/impl/control_flow.hpp>
#include <flowgraph/ops/impl/initializer.hpp>
#include <flowgraph/ops/impl/move.hpp>
#include <flowgraph/ops/impl/scatter_rows.hpp>
#include <flowgraph/ops/impl/segment_rows.hpp>
#include <flowgraph/ops/impl/training.hpp>
#include <flowgraph/ops/impl/variable_access.hpp>
#include <flowgraph/ops/impl/window.hpp>
