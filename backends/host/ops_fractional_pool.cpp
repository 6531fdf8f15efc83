#include <flowgraph/ops/nn/fractional_pool.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/fractional_pool.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<fractional_pool_ops> fractional_pool_kernels{};

}  // namespace flowgraph
