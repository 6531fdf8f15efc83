#include <flowgraph/ops/state/scatter_arithmetic.hpp>

#include <flowgraph/ops/detail/scatter_arithmetic.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<scatter_arithmetic_ops> scatter_arithmetic_kernels{};

}  // namespace flowgraph
