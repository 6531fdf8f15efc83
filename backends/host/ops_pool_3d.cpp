#include <flowgraph/ops/nn/pool_3d.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/pool_3d.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<pool_3d_ops> pool_3d_kernels{};

}  // namespace flowgraph
