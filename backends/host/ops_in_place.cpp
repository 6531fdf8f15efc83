#include <flowgraph/ops/state/in_place.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/in_place.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<in_place_ops> in_place_kernels{};

}  // namespace flowgraph
