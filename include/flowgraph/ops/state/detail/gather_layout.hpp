#pragma once
// The shape of rows that are gathered from a variable.

#include <flowgraph/ops/array/detail/gather_rows.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the shape of the gathered elements. Fails, with an unknown shape, if the batch axes differ. The kernels of
// ResourceGather define the function (resource_variable.hpp).
flowgraph::shape layout_gather(cpu ctx, const flowgraph::shape& variable, const flowgraph::shape& indices,
                               std::int64_t batch_dims, gather_sizes& sizes);

}  // namespace flowgraph::detail
