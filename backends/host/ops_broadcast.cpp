#include <flowgraph/ops/array/broadcast.hpp>

#include <flowgraph/ops/detail/broadcast.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/impl/broadcast.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<broadcast_ops> broadcast_kernels{};

}  // namespace flowgraph
