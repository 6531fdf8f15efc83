#include <flowgraph/ops/array/unique_along.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/unique_along.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<unique_along_ops> unique_along_kernels{};

}  // namespace flowgraph
