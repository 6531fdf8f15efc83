#include <flowgraph/ops/math/bitwise.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/bitwise.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<bitwise_ops> bitwise_kernels{};

}  // namespace flowgraph
