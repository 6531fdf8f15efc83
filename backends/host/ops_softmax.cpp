#include <flowgraph/ops/nn/softmax.hpp>

#include <flowgraph/ops/detail/softmax.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<softmax_ops> softmax_kernels{};

}  // namespace flowgraph
