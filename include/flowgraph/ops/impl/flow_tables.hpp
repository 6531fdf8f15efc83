#pragma once
// Tables of the ops that loops and branches are made of, for an element type that only the run of the program tells.
//
// Tables made at compile time would bring the gradients of every type, with their kernels, into each program that has a loop.
// These take the sum of gradients, which is all that their own need, from the node whose value passes.

#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/control_flow/control_flow.hpp>
#include <flowgraph/ops/control_flow/history.hpp>

#include <map>
#include <mutex>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Shared by a graph and its copies, whose nodes point at the tables.
class flow_tables {
public:
  using key = std::tuple<const op_table*, dtype, op_table::sum_function>;

  const op_table* find(const op_table& like, dtype type, op_table::sum_function sum, op_table::gradient_function gradient) {
    std::lock_guard lock(mutex_);
    const auto [at, fresh] = made_.try_emplace(key{&like, type, sum}, like);
    if (fresh) {
      at->second.types = like.types[0].attribute == "T" ? binding_of<"T">(type, edge_types{}) : binding_of<"dtype">(type, edge_types{});
      at->second.sum = sum;
      at->second.gradient = sum || type == dtype::resource ? gradient : nullptr;
    }
    return &at->second;
  }

private:
  template <fixed_string Name, class... T>
  static std::span<const type_binding> binding_of(dtype type, type_list<T...>) {
    std::span<const type_binding> found;
    ((dtype_of<T> == type ? void(found = binding_table<bound_type<Name, T>>::all) : void()), ...);
    return found;
  }
  std::mutex mutex_;
  std::map<key, op_table> made_;
};

template <class Op>
inline constexpr op_table::gradient_function flow_gradient = nullptr;  // of Enter and its kin: the loop as a whole has one

// The table of Op for the type of `x`.
template <class Op>
const op_table* flow_table(graph_state& g, const any_out& x) {
  if (!g.flow) g.flow = std::make_shared<flow_tables>();
  const bool has_sum = x.is_usable() && is_differentiable(x.type());
  return g.flow->find(table_of<Op, std::int32_t>, x.type(), has_sum ? x.source->op->sum : nullptr, flow_gradient<Op>);
}

inline node_request request_of(const op_table* table, const void* op, std::span<const any_out> inputs,
                               std::span<node* const> control = {}) {
  node_request r;
  r.table = table;
  r.op = op;
  r.inputs = inputs;
  r.control_inputs = control;
  return r;
}

// Adds an op of the first input's element type; a poisoned input gives a poisoned node.
template <class Op>
node* add_flow(graph_state& g, const Op& op, std::span<const any_out> inputs, const site& s,
               std::span<node* const> control = {}) {
  for (const any_out& in : inputs)
    if (in.source && in.source->is_poison()) return in.source;
  return add_node(g, request_of(flow_table<Op>(g, inputs[0]), &op, inputs, control), s);
}
inline any_out identity_of(graph_state& g, any_out x, const site& s, std::span<node* const> control = {}) {
  return {add_flow(g, identity_op{}, {&x, 1}, s, control), 0};
}

// ---- gradients

#ifndef FLOWGRAPH_INFERENCE

// What has arrived at an output; zeros where nothing has.
inline any_grad summed(const gradient_call& c, std::uint32_t port, std::span<const any_grad> arrived) {
  any_grad sum;
  c.at->op->sum(*c.at, port, arrived, sum);
  return sum || arrived.empty() ? sum : arrived[0];
}
inline any_out dense_at(const gradient_call& c, std::uint32_t port) {
  const any_grad sum = summed(c, port, c.arrived[port]);
  if (sum.kind != any_grad::form::slices) return sum.dense;
  const any_grad with_zeros[]{sum, summed(c, port, {})};
  return summed(c, port, with_zeros).dense;
}

inline void pass_gradient(const void*, gradient_call& c) { c.result.push_back(summed(c, 0, c.arrived[0])); }

inline void stop_of_gradient(const void*, gradient_call& c) { c.result.push_back(none); }

// A value that does not depend on its side would be alive on both: each side waits for its own.
inline void flow_switch_gradient(const void* op, gradient_call& c) {
  if (c.at->outputs[0].type == dtype::resource) return gradient_of_history(op, c);
  node* const n = const_cast<node*>(c.at);
  graph_state& g = *n->graph;
  any_out sides[2];
  for (std::uint32_t port = 0; port < 2; ++port) {
    node* const alive[]{identity_of(g, {n, port}, {"alive"}).source};
    sides[port] = identity_of(g, dense_at(c, port), {"gradient"}, alive);
  }
  c.result.push_back(any_out{add_flow(g, merge_op{}, sides, {}), 0});
  c.result.push_back(none);
}

template <>
inline constexpr op_table::gradient_function flow_gradient<identity_op> = &pass_gradient;
template <>
inline constexpr op_table::gradient_function flow_gradient<stop_gradient_op> = &stop_of_gradient;
template <>
inline constexpr op_table::gradient_function flow_gradient<switch_op> = &flow_switch_gradient;
template <>
inline constexpr op_table::gradient_function flow_gradient<ref_switch_op> = &flow_switch_gradient;
template <>
inline constexpr op_table::gradient_function flow_gradient<merge_op> = &gradient_of_merge;
template <>
inline constexpr op_table::gradient_function flow_gradient<ref_merge_op> = &gradient_of_merge;
template <>
inline constexpr op_table::gradient_function flow_gradient<history_value_op> = &gradient_of_history;
template <>
inline constexpr op_table::gradient_function flow_gradient<exit_op> = &gradient_of_loop;
template <>
inline constexpr op_table::gradient_function flow_gradient<ref_exit_op> = &gradient_of_loop;

#endif

}  // namespace detail

}  // namespace flowgraph
