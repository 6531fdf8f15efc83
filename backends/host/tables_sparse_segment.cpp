#include <flowgraph/ops/impl/all.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <>
result<void> detail::add_part<detail::sparse_segment_part>(registry& r) {
  return add_ops<sparse_segment_part>(r);
}

}  // namespace flowgraph
