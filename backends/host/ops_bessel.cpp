#include <flowgraph/ops/math/bessel.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/bessel.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<bessel_ops> bessel_kernels{};

}  // namespace flowgraph
