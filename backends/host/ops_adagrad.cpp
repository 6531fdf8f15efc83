#include <flowgraph/ops/training/adagrad.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/adagrad.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<adagrad_ops> adagrad_kernels{};

}  // namespace flowgraph
