#include <flowgraph/ops/nn/pool.hpp>

#include <flowgraph/ops/detail/pool.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/pool_v2.hpp>
#include <flowgraph/ops/impl/pool.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<pool_ops> pool_kernels{};
[[gnu::used]] static constexpr detail::emitted_family<pool_v2_ops> pool_v2_kernels{};

}  // namespace flowgraph
