#include <flowgraph/ops/linear_algebra/einsum.hpp>

#include <flowgraph/ops/detail/einsum.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/impl/einsum.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<einsum_ops> einsum_kernels{};

}  // namespace flowgraph
