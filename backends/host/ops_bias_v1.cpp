#include <flowgraph/ops/nn/bias_v1.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/bias_v1.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<bias_v1_ops> bias_v1_kernels{};

}  // namespace flowgraph
