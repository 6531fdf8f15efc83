#include <flowgraph/ops/data_flow/tensor_array_by_name.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/tensor_array_by_name.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<tensor_array_by_name_ops> tensor_array_by_name_kernels{};

}  // namespace flowgraph
