#include <flowgraph/ops/nn/local_response.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/local_response.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<local_response_ops> local_response_kernels{};

}  // namespace flowgraph
