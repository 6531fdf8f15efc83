#include <flowgraph/ops/state/slice_assign.hpp>

#include <flowgraph/ops/detail/slice_assign.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<slice_assign_ops> slice_assign_kernels{};

}  // namespace flowgraph
