#include <flowgraph/ops/math/comparison.hpp>

#include <flowgraph/ops/detail/comparison.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/impl/comparison.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<comparison_ops> comparison_kernels{};

}  // namespace flowgraph
