#include <flowgraph/ops/nn/data_format.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/data_format.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<data_format_ops> data_format_kernels{};

}  // namespace flowgraph
