#include <flowgraph/ops/reduction/reduction.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/reduction.hpp>
#include <flowgraph/ops/impl/reduce.hpp>
#include <flowgraph/ops/impl/reduction.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<reduction_ops> reduction_kernels{};

}  // namespace flowgraph
