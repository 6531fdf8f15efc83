#include <flowgraph/ops/random/shuffle.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/shuffle.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<shuffle_ops> shuffle_kernels{};

}  // namespace flowgraph
