#include <flowgraph/ops/state/scatter_nd.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/variable_scatter_nd.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<variable_scatter_nd_ops> variable_scatter_nd_kernels{};

}  // namespace flowgraph
