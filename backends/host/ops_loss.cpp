#include <flowgraph/ops/nn/loss.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/loss.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<loss_ops> loss_kernels{};

}  // namespace flowgraph
