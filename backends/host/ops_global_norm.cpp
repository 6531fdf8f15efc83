#include <flowgraph/ops/nn/global_norm.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/global_norm.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<global_norm_ops> global_norm_kernels{};

}  // namespace flowgraph
