#pragma once
// Tables of the ops of loops and branches, for element types that are known only when the program runs.
//
// Tables made at compile time would bring the gradients of every type, with their kernels, into each program that has a loop.
// These tables get the function that sums gradients, which is all that their gradients need, from the producer of the value.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/ops/array/identity.hpp>

#include <array>
#include <memory>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A graph and its copies share the tables, because their nodes point to them.
class flow_tables {
public:
  const op_table* find(const op_table& like, dtype type, op_table::sum_function sum, op_table::gradient_function gradient) {
    threading::lock_guard lock(mutex_);
    for (const std::unique_ptr<entry>& e : entries_)
      if (e->like == &like && e->table.bound_types[0] == type && e->table.sum == sum) return &e->table;
    entries_.push_back(std::make_unique<entry>(entry{&like, like}));
    op_table& result = entries_.back()->table;
    result.bound_types[0] = type;
    result.sum = sum;
    result.gradient = sum || type == dtype::resource ? gradient : nullptr;
    return &result;
  }

private:
  struct entry {
    const op_table* like;
    op_table table;
  };
  threading::mutex mutex_;
  sequence<std::unique_ptr<entry>> entries_;  // one for each op and each type that loops carry
};

// The op's own gradient if it is computed for a single node; otherwise null, because Enter and similar ops have a gradient only as
// parts of a loop.
template <class Op> constexpr op_table::gradient_function own_gradient() {
#ifndef FLOWGRAPH_INFERENCE
  return facts_of<Op>.engine.gradient_by_call;
#else
  return nullptr;
#endif
}
template <class Op> inline constexpr op_table::gradient_function flow_gradient = own_gradient<Op>();

// Returns the table of Op for the type of `x`.
template <class Op> const op_table* flow_table(graph_state& g, const any_out& x) {
  if (!g.flow) g.flow = std::make_shared<flow_tables>();
  const bool has_sum = x.is_usable() && carries_gradient(x.type());
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

// Returns zeros like an output.
inline any_out zeros_like_any(any_out of) {
  any_grad zeros;
  of.source->op->sum(*of.source, of.port, {}, zeros);
  return zeros.dense;
}
// Returns the sum of the gradients of an output; zeros if there are none. A single gradient is returned as it is, of any type.
inline any_grad sum_of(any_out of, std::span<const any_grad> parts) {
  any_grad sum;
  of.source->op->sum(*of.source, of.port, parts, sum);
  return sum || parts.empty() ? sum : parts[0];
}
// The same, with slices made dense.
inline any_out dense_sum(any_out of, std::span<const any_grad> parts) {
  const any_grad sum = sum_of(of, parts);
  if (sum.kind != any_grad::form::slices) return sum.dense;
  const std::array<any_grad, 2> with_zeros{sum, zeros_like_any(of)};
  return sum_of(of, with_zeros).dense;
}

#ifndef FLOWGRAPH_INFERENCE

inline void pass_gradient(const void*, gradient_call& c) {
  c.result.push_back(sum_of({const_cast<node*>(c.at), 0}, c.arrived[0]));
}

inline void stop_of_gradient(const void*, gradient_call& c) { c.result.push_back(none); }

template <> inline constexpr op_table::gradient_function flow_gradient<identity_op> = &pass_gradient;
template <> inline constexpr op_table::gradient_function flow_gradient<stop_gradient_op> = &stop_of_gradient;

#endif

}  // namespace flowgraph::detail
