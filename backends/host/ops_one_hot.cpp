#include <flowgraph/ops/array/one_hot.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/one_hot.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<one_hot_ops> one_hot_kernels{};

}  // namespace flowgraph
