#include <flowgraph/ops/nn/convolution_3d.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/convolution_3d.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<convolution_3d_ops> convolution_3d_kernels{};

}  // namespace flowgraph
