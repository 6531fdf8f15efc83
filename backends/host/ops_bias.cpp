#include <flowgraph/ops/nn/bias.hpp>

#include <flowgraph/ops/detail/bias.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<bias_ops> bias_kernels{};

}  // namespace flowgraph
