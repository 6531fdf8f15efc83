#include <flowgraph/ops/reduction/norm.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/norm.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<norm_ops> norm_kernels{};

}  // namespace flowgraph
