#include <flowgraph/ops/math/histogram.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/histogram.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<histogram_ops> histogram_kernels{};

}  // namespace flowgraph
