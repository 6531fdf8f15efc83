#include <flowgraph/ops/array/unique.hpp>

#include <flowgraph/ops/detail/unique.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<unique_ops> unique_kernels{};

}  // namespace flowgraph
