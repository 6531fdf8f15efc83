#include <flowgraph/ops/array/partition.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/partition.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<partition_ops> partition_kernels{};

}  // namespace flowgraph
