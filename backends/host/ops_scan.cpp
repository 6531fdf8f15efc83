#include <flowgraph/ops/reduction/scan.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/scan.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<scan_ops> scan_kernels{};

}  // namespace flowgraph
