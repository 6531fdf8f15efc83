#include <flowgraph/ops/training/proximal.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/proximal.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<proximal_ops> proximal_kernels{};

}  // namespace flowgraph
