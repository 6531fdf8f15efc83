#include <flowgraph/ops/nn/activation.hpp>

#include <flowgraph/ops/detail/elementwise.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<activation_ops> activation_kernels{};

}  // namespace flowgraph
