#include <flowgraph/ops/array/constant.hpp>

#include <flowgraph/ops/detail/constant.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<constant_ops> constant_kernels{};

}  // namespace flowgraph
