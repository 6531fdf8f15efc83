#include <flowgraph/ops/array/slice.hpp>

#include <flowgraph/ops/detail/slice.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<slice_ops> slice_kernels{};

}  // namespace flowgraph
