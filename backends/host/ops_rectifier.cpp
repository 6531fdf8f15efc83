#include <flowgraph/ops/nn/rectifier.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/rectifier.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<rectifier_ops> rectifier_kernels{};

}  // namespace flowgraph
