#include <flowgraph/ops/nn/depthwise.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/depthwise.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<depthwise_ops> depthwise_kernels{};

}  // namespace flowgraph
