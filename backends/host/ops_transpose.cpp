#include <flowgraph/ops/array/transpose.hpp>

#include <flowgraph/ops/detail/transpose.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<transpose_ops> transpose_kernels{};

}  // namespace flowgraph
