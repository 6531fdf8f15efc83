#include <flowgraph/ops/linear_algebra/matrix_diagonal.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/matrix_diagonal.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<matrix_diagonal_ops> matrix_diagonal_kernels{};

}  // namespace flowgraph
