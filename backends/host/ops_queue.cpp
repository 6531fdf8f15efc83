#include <flowgraph/ops/data_flow/queue.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/queue.hpp>
#include <flowgraph/ops/impl/queue_state.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<queue_ops> queue_kernels{};

}  // namespace flowgraph
