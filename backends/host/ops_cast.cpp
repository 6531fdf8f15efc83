#include <flowgraph/ops/math/cast.hpp>

#include <flowgraph/ops/detail/cast.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<cast_ops> cast_kernels{};

}  // namespace flowgraph
