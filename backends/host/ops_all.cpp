#include <flowgraph/ops/impl/all.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

result<void> add_standard_ops(registry& r) {
  return detail::add_parts(r, detail::standard_parts{});
}

}  // namespace flowgraph
