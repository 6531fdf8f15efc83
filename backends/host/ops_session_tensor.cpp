#include <flowgraph/ops/state/session_tensor.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/session_tensor.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<session_tensor_ops> session_tensor_kernels{};

}  // namespace flowgraph
