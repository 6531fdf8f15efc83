#include <flowgraph/ops/impl/all.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <>
result<void> detail::add_part<detail::queue_part>(registry& r) {
  return add_ops<queue_part>(r);
}

}  // namespace flowgraph
