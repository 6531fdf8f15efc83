#include <flowgraph/ops/array/gather_nd.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/gather_nd.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<gather_nd_ops> gather_nd_kernels{};

}  // namespace flowgraph
