#include <flowgraph/ops/training/rms_prop.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/rms_prop.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<rms_prop_ops> rms_prop_kernels{};

}  // namespace flowgraph
