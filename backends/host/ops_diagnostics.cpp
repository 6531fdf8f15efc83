#include <flowgraph/ops/debug/diagnostics.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/diagnostics.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<diagnostics_ops> diagnostics_kernels{};

}  // namespace flowgraph
