#pragma once
// Values that no node reads, for sides of a branch without a value.

#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/control_flow/impl/history_gradient.hpp>

#include <cstring>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns a value of the same type.
inline any_out stand_in_for(graph_state& g, any_out x) {
  if (x.type() == dtype::resource) return empty_history(g);
  const_op op;
  if (auto value = any_tensor::allocate(x.type(), {}, std::pmr::new_delete_resource())) op.value = *std::move(value);
  if (is_plain(x.type())) std::memset(op.value.data(), 0, op.value.bytes());
  return {add_node(g, request_of(flow_table<const_op>(g, x), &op, {}), {}), 0};
}

}  // namespace flowgraph::detail
