#include <flowgraph/ops/array/bitcast.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/bitcast.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<bitcast_ops> bitcast_kernels{};

}  // namespace flowgraph
