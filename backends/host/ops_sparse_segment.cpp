#include <flowgraph/ops/reduction/sparse_segment.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/sparse_segment.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<sparse_segment_ops> sparse_segment_kernels{};

}  // namespace flowgraph
