#include <flowgraph/ops/random/distribution.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/distribution.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<distribution_ops> distribution_kernels{};

}  // namespace flowgraph
