#include <flowgraph/ops/training/sign.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/sign.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<sign_ops> sign_kernels{};

}  // namespace flowgraph
