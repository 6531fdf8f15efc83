#include <flowgraph/ops/state/counter.hpp>

#include <flowgraph/ops/detail/counter.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<counter_ops> counter_kernels{};

}  // namespace flowgraph
