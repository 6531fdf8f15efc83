#include <flowgraph/ops/training/training.hpp>

#include <flowgraph/ops/detail/training.hpp>
#include <flowgraph/ops/detail/instantiate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

[[gnu::used]] static constexpr detail::emitted_family<training_ops> training_kernels{};

}  // namespace flowgraph
