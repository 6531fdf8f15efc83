#include <flowgraph/ops/array/concat.hpp>

#include <flowgraph/ops/detail/concat.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<concat_ops> concat_kernels{};

}  // namespace flowgraph
