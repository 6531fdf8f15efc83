#include <flowgraph/ops/impl/all.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <>
result<void> detail::add_part<detail::session_part>(registry& r) {
  return add_ops<session_part>(r);
}

}  // namespace flowgraph
