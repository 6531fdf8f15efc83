#include <flowgraph/ops/array/tiling.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/tiling.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<tiling_ops> tiling_kernels{};

}  // namespace flowgraph
