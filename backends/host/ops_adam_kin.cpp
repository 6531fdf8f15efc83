#include <flowgraph/ops/training/adam_kin.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/adam_kin.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<adam_kin_ops> adam_kin_kernels{};

}  // namespace flowgraph
