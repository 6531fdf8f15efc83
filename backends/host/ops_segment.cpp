#include <flowgraph/ops/reduction/segment.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/segment.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<segment_ops> segment_kernels{};

}  // namespace flowgraph
