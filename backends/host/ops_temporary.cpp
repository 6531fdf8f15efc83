#include <flowgraph/ops/state/temporary.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/temporary.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<temporary_ops> temporary_kernels{};

}  // namespace flowgraph
