#include <flowgraph/ops/data_flow/mutex.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/mutex.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<mutex_ops> mutex_kernels{};

}  // namespace flowgraph
