#include <flowgraph/ops/random/random.hpp>

#include <flowgraph/ops/detail/random.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<random_ops> random_kernels{};

}  // namespace flowgraph
