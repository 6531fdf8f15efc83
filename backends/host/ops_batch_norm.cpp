#include <flowgraph/ops/nn/batch_norm.hpp>

#include <flowgraph/ops/detail/batch_norm.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/impl/batch_norm.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<batch_norm_ops> batch_norm_kernels{};

}  // namespace flowgraph
