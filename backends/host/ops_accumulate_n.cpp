#include <flowgraph/ops/math/accumulate_n.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/accumulate_n.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<accumulate_n_ops> accumulate_n_kernels{};

}  // namespace flowgraph
