#include <flowgraph/ops/math/trigonometry.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/trigonometry.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<trigonometry_ops> trigonometry_kernels{};

}  // namespace flowgraph
