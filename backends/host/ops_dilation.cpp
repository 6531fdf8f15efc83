#include <flowgraph/ops/nn/dilation.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/dilation.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<dilation_ops> dilation_kernels{};

}  // namespace flowgraph
