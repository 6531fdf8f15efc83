#pragma once
// Gradients of handles, which are those of their variables: initial values and sums in loops and branches.

#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/graph/loop_map.hpp>
#include <flowgraph/ops/control_flow/impl/flow_tables.hpp>
#include <flowgraph/ops/state/variable_behind.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns an output of the variable's type that is read from it. Its table has the function that sums gradients.
inline any_out value_read_by(const node& handle) {
  const dtype type = handle.op->types()[0].type;
  for (node* const n : handle.graph->nodes)
    for (const edge& e : n->inputs) {
      if (!n->op->sum || n->op->control != control_flow::none || handle_behind(e) != &handle) continue;
      for (std::uint32_t port = 0; port < n->outputs.size(); ++port)
        if (n->outputs[port].type == type) return {n, port};
    }
  return {};
}

// Returns zeros in the shape that the variable has in the run.
inline any_out zeros_of_variable(const edge& e) {
  const any_out handle{const_cast<node*>(handle_behind(e)), 0};
  graph_state& g = *handle.source->graph;
  const any_out variable = variable_of(handle, [&](const variable_of_handle_op& op, const any_out& h) {
    return any_out{
        add_node(g, request_of(flow_table<variable_of_handle_op>(g, value_read_by(*h.source)), &op, {&h, 1}), {"Variable"}), 0};
  });
  return zeros_like_any(variable);
}

// Returns the sum of the gradients of a handle. Precondition: there is at least one.
inline any_out sum_of_handle(std::span<const any_grad> parts) {
  gradient_list dense;
  for (const any_grad& p : parts)
    dense.push_back(p.kind == any_grad::form::slices ? any_grad(p.slices.rules->make_dense(p.slices)) : p);
  return sum_of(dense.front().dense, dense).dense;
}
inline any_out sum_or_zeros_of_handle(const edge& e, std::span<const any_grad> parts) {
  return parts.empty() ? zeros_of_variable(e) : sum_of_handle(parts);
}

#ifndef FLOWGRAPH_INFERENCE
template <> inline constexpr op_table::gradient_function flow_gradient<variable_of_handle_op> = &pass_gradient;
#endif

}  // namespace flowgraph::detail
