#include <flowgraph/ops/array/reverse.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/reverse.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<reverse_ops> reverse_kernels{};

}  // namespace flowgraph
