#include <flowgraph/ops/training/ftrl.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/ftrl.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<ftrl_ops> ftrl_kernels{};

}  // namespace flowgraph
