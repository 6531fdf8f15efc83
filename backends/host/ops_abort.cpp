#include <flowgraph/ops/control_flow/abort.hpp>

#include <flowgraph/ops/detail/abort.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<abort_ops> abort_kernels{};

}  // namespace flowgraph
