#include <flowgraph/ops/math/rounding.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/rounding.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<rounding_ops> rounding_kernels{};

}  // namespace flowgraph
