#include <flowgraph/ops/data_flow/fifo_queue.hpp>

#include <flowgraph/ops/detail/fifo_queue.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<fifo_queue_ops> fifo_queue_kernels{};

}  // namespace flowgraph
