#include <flowgraph/ops/array/strided_slice.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/strided_slice.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<strided_slice_ops> strided_slice_kernels{};

}  // namespace flowgraph
