#include <flowgraph/ops/math/math.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/math.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<math_ops> math_kernels{};

}  // namespace flowgraph
