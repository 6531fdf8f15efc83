#include <flowgraph/ops/data_flow/stack.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/stack.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<stack_ops> stack_kernels{};

}  // namespace flowgraph
