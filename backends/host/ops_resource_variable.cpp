#include <flowgraph/ops/state/resource_variable.hpp>

#include <flowgraph/ops/detail/resource_variable.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<resource_variable_ops> resource_variable_kernels{};

}  // namespace flowgraph
