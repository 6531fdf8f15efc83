#include <flowgraph/ops/state/variable.hpp>

#include <flowgraph/ops/detail/variable.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<variable_ops> variable_kernels{};

}  // namespace flowgraph
