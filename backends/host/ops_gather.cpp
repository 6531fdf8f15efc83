#include <flowgraph/ops/array/gather.hpp>

#include <flowgraph/ops/detail/gather.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<gather_ops> gather_kernels{};

}  // namespace flowgraph
