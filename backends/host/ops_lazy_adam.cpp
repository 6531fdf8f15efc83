#include <flowgraph/ops/training/lazy_adam.hpp>

#include <flowgraph/ops/detail/instantiate.hpp>
#include <flowgraph/ops/detail/lazy_adam.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<lazy_adam_ops> lazy_adam_kernels{};

}  // namespace flowgraph
