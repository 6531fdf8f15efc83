#include <flowgraph/ops/state/scatter.hpp>

#include <flowgraph/ops/detail/scatter.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<scatter_ops> scatter_kernels{};

}  // namespace flowgraph
