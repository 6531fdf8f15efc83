#include <flowgraph/ops/array/scatter_nd.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/scatter_nd.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<scatter_nd_ops> scatter_nd_kernels{};

}  // namespace flowgraph
