#include <flowgraph/ops/nn/convolution.hpp>

#include <flowgraph/ops/detail/convolution.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/impl/convolution.hpp>
#include <flowgraph/ops/impl/convolution_1d.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<convolution_ops> convolution_kernels{};

}  // namespace flowgraph
