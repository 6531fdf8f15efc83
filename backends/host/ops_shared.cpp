// Ordinary functions that families share, and those of families without kernels of their own.

#include <flowgraph/ops/state/impl/assign_all.hpp>
#include <flowgraph/ops/nn/impl/convolution_1d.hpp>
#include <flowgraph/ops/array/impl/index_vectors.hpp>
#include <flowgraph/ops/random/impl/initializer.hpp>
#include <flowgraph/ops/shared/impl/move.hpp>
#include <flowgraph/ops/array/impl/rearrange.hpp>
#include <flowgraph/ops/reduction/impl/reduce.hpp>
#include <flowgraph/ops/data_flow/impl/run_objects.hpp>
#include <flowgraph/ops/state/impl/scatter_rows.hpp>
#include <flowgraph/ops/shared/impl/segment_rows.hpp>
#include <flowgraph/ops/array/impl/strided.hpp>
#include <flowgraph/ops/training/impl/update.hpp>
#include <flowgraph/ops/state/impl/variable_access.hpp>
#include <flowgraph/ops/nn/impl/window.hpp>
