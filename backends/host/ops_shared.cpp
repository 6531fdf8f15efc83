// Ordinary functions that families share, and those of families without kernels of their own.

#include <flowgraph/ops/impl/assign_all.hpp>
#include <flowgraph/ops/impl/convolution_1d.hpp>
#include <flowgraph/ops/impl/index_vectors.hpp>
#include <flowgraph/ops/impl/initializer.hpp>
#include <flowgraph/ops/impl/move.hpp>
#include <flowgraph/ops/impl/rearrange.hpp>
#include <flowgraph/ops/impl/reduce.hpp>
#include <flowgraph/ops/impl/run_objects.hpp>
#include <flowgraph/ops/impl/scatter_rows.hpp>
#include <flowgraph/ops/impl/segment_rows.hpp>
#include <flowgraph/ops/impl/strided.hpp>
#include <flowgraph/ops/impl/update.hpp>
#include <flowgraph/ops/impl/variable_access.hpp>
#include <flowgraph/ops/impl/window.hpp>
