#include <flowgraph/ops/impl/all.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

result<void> add_standard_ops(registry& r) {
  return detail::add_parts(r, type_list<detail::array_part, detail::conversion_part, detail::arithmetic_part, detail::reduction_part,
                                        detail::network_part, detail::state_part>{});
}

}  // namespace flowgraph
