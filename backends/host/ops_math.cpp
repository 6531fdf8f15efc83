#include <flowgraph/ops/math.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/math.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr const void* const* math_kernels = detail::emitted_family<math_ops>::all;

}  // namespace flowgraph
