#include <flowgraph/ops/data_flow/tensor_array.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/impl/tensor_array.hpp>
#include <flowgraph/ops/impl/tensor_array_state.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<tensor_array_ops> tensor_array_kernels{};

}  // namespace flowgraph
