#include <flowgraph/ops/impl/all.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <>
result<void> detail::add_part<detail::old_collection_part>(registry& r) {
  return add_ops<old_collection_part>(r);
}

}  // namespace flowgraph
