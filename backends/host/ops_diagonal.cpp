#include <flowgraph/ops/array/diagonal.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/diagonal.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<diagonal_ops> diagonal_kernels{};

}  // namespace flowgraph
