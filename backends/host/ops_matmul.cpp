#include <flowgraph/ops/linear_algebra/matmul.hpp>

#include <flowgraph/ops/detail/matmul.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<matmul_ops> matmul_kernels{};

}  // namespace flowgraph
