#include <flowgraph/ops/array/passing.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/passing.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<passing_ops> passing_kernels{};

}  // namespace flowgraph
