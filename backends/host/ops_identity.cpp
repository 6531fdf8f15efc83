#include <flowgraph/ops/array/identity.hpp>

#include <flowgraph/ops/detail/identity.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<identity_ops> identity_kernels{};

}  // namespace flowgraph
