#include <flowgraph/ops/array/fill.hpp>

#include <flowgraph/ops/detail/fill.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<fill_ops> fill_kernels{};

}  // namespace flowgraph
