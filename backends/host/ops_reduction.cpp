#include <flowgraph/ops/reduction.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/reduction.hpp>
#include <flowgraph/ops/impl/reduce.hpp>
#include <flowgraph/ops/impl/reduction.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr const void* const* reduction_kernels = detail::emitted_family<reduction_ops>::all;

}  // namespace flowgraph
