#include <flowgraph/ops/impl/all.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <>
result<void> detail::add_part<detail::sampling_part>(registry& r) {
  return add_ops<sampling_part>(r);
}

}  // namespace flowgraph
