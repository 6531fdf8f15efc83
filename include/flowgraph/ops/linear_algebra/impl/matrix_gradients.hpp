#pragma once

#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/ops/linear_algebra/detail/matrix_gradients.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_INLINE any_out detail::refused_gradient_of(const any_out& x, std::string_view op, std::string_view why) {
  graph_state* const g = graph_of_inputs({&x, 1}, op);
  if (!g) return {};
  return {refused_node(*g, error(error_code::unimplemented, message{"there is no gradient of ", op, ": ", why})), 0};
}

}  // namespace flowgraph
