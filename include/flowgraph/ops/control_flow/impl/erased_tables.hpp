#pragma once

#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/control_flow/erased_tables.hpp>
#include <flowgraph/ops/control_flow/impl/flow_tables.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// A constant with control inputs passes on its value.
FLOWGRAPH_COLD inline void give_constant(const void* op, kernel_call& call) {
  cpu(call).set_output(0, static_cast<const const_op*>(op)->value);
}
constexpr op_table constant_of_any_type() {
  op_table t = make_table<const_op, std::int32_t>();
  t.kernel.run = &give_constant;
  t.sum = nullptr;
  t.gradient = nullptr;
  return t;
}
inline constexpr op_table any_constant_table = constant_of_any_type();

}  // namespace detail

FLOWGRAPH_INLINE const op_table* detail::erased_table(graph_state& g, control_flow does, const any_out& x) {
  switch (does) {
    case control_flow::switch_: return flow_table<switch_op>(g, x);
    case control_flow::merge: return flow_table<merge_op>(g, x);
    case control_flow::enter: return flow_table<enter_op>(g, x);
    case control_flow::exit: return flow_table<exit_op>(g, x);
    case control_flow::next_iteration: return flow_table<next_iteration_op>(g, x);
    default: return flow_table<identity_op>(g, x);
  }
}

FLOWGRAPH_INLINE const op_table* detail::erased_constant_table(graph_state& g, dtype type, op_table::sum_function sum) {
  if (!g.flow) g.flow = std::make_shared<flow_tables>();
  return g.flow->find(any_constant_table, type, sum, nullptr);
}

}  // namespace flowgraph
