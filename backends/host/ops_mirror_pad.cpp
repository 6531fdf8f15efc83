#include <flowgraph/ops/array/mirror_pad.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/mirror_pad.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<mirror_pad_ops> mirror_pad_kernels{};

}  // namespace flowgraph
