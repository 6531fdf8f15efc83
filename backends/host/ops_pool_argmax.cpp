#include <flowgraph/ops/nn/pool_argmax.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/pool_argmax.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<pool_argmax_ops> pool_argmax_kernels{};

}  // namespace flowgraph
