#include <flowgraph/ops/array/lin_space.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/lin_space.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<lin_space_ops> lin_space_kernels{};

}  // namespace flowgraph
