#include <flowgraph/ops/array/reshape.hpp>

#include <flowgraph/ops/detail/reshape.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<reshape_ops> reshape_kernels{};

}  // namespace flowgraph
