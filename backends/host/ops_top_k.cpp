#include <flowgraph/ops/nn/top_k.hpp>

#include <flowgraph/ops/detail/top_k.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/impl/top_k.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<top_k_ops> top_k_kernels{};

}  // namespace flowgraph
