#include <flowgraph/ops/state/resource_read.hpp>

#include <flowgraph/ops/detail/resource_read.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<resource_read_ops> resource_read_kernels{};

}  // namespace flowgraph
