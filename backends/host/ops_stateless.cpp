#include <flowgraph/ops/random/stateless.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/stateless.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<stateless_ops> stateless_kernels{};

}  // namespace flowgraph
