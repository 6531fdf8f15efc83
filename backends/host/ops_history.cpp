#include <flowgraph/ops/control_flow/history.hpp>

#include <flowgraph/ops/detail/history.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/impl/loop_gradient.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<history_ops> history_kernels{};

}  // namespace flowgraph
