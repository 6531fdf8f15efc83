#include <flowgraph/ops/math/complex.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/complex.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<complex_ops> complex_kernels{};

}  // namespace flowgraph
