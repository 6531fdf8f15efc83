#include <flowgraph/ops/math/integral.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/integral.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<integral_ops> integral_kernels{};

}  // namespace flowgraph
