#pragma once
// Nodes that create, read and join histories, and the gradient of a history: a history of gradients.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/loop_map.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/control_flow/history.hpp>
#include <flowgraph/ops/control_flow/impl/flow_tables.hpp>

#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline node* add_untyped(graph_state& g, const op_table& table, const void* op, std::span<const any_out> inputs) {
  return add_node(g, request_of(&table, op, inputs), {});
}
inline any_out empty_history(graph_state& g) {
  const empty_history_op op;
  return {add_untyped(g, table_of<empty_history_op>, &op, {}), 0};
}
// A history has one contribution, because only one loop reads its values.
inline any_out sum_of_arrived(any_out of, std::span<const any_grad> parts) {
  return of.type() == dtype::resource ? parts.front().dense : dense_sum(of, parts);
}
// Returns value `index` of an iteration: the value that `like` had in this iteration.
inline any_out value_of_history(graph_state& g, any_out history, std::size_t index, any_out like) {
  const history_value_op op{static_cast<std::int64_t>(index), like.shape()};
  return {add_node(g, request_of(flow_table<history_value_op>(g, like), &op, {&history, 1}), {}), 0};
}
// The entry in a history of gradients for a value without gradient.
inline bool is_absent(const edge& e) { return e.from->outputs[e.port].type == dtype::boolean; }

inline out<resource> history_handle(any_out h) { return {h.source, h.port}; }

inline any_out zeros_like_history(any_out h) { return apply(zeros_like_history_op{}, history_handle(h)); }

// Returns a history of gradients with one more entry: the gradients of the entry's values, if any arrived, on top of the others.
inline any_out joined_history(graph_state& g, std::span<const any_grad> parts) {
  sequence<gradient_list> values;
  any_out rest;
  for (const any_grad& p : parts) {
    if (p.kind != any_grad::form::entry) {
      rest = rest.source ? apply(add_histories_op{}, history_handle(rest), history_handle(p.dense)) : history_handle(p.dense);
      continue;
    }
    if (values.size() <= p.index) values.resize(p.index + 1);
    values[p.index].push_back(any_grad(p.dense));
  }
  if (!rest.source) rest = empty_history(g);
  if (values.empty()) return rest;
  std::vector<any_out> inputs{rest};
  for (const gradient_list& v : values)
    inputs.push_back(v.empty() ? any_out(constant_in(g, tensor<bool>(false))) : sum_of_arrived(v.front().dense, v));
  const push_history_op op;
  return {add_untyped(g, table_of<push_history_op>, &op, inputs), 0};
}

}  // namespace detail

FLOWGRAPH_SELDOM void detail::gradient_of_history(const void*, gradient_call& call) {
  const node& n = *call.at;
  graph_state& g = *n.graph;
  if (n.op->name() == "PopHistory") {
    call.result = {call.arrived[0].front()};
  } else if (n.op->name() == "ZerosLikeHistory") {
    call.result = {none};
  } else if (n.op->name() == "AddHistories") {
    call.result = {call.arrived[0].front(), call.arrived[0].front()};
  } else if (n.op->name() == "HistoryValue") {
    any_grad gradient(sum_of_arrived({const_cast<node*>(&n), 0}, call.arrived[0]));
    gradient.kind = any_grad::form::entry;
    const attribute_value index = attribute_of(n, "index");
    gradient.index = static_cast<std::uint32_t>(*index.get<std::int64_t>());
    call.result = {gradient};
  } else if (n.op->name() == "PushHistory") {
    const any_out gradients = call.arrived[0].front().dense;
    call.result = {any_grad(any_out(apply(pop_history_op{}, history_handle(gradients))))};
    const node* push = push_behind({gradients.source, gradients.port});
    for (std::size_t i = 1; i < n.inputs.size(); ++i) {
      if (!push || i >= push->inputs.size() || is_absent(push->inputs[i])) {
        call.result.push_back(none);
        continue;
      }
      call.result.push_back(value_of_history(g, gradients, i - 1, {n.inputs[i].from, n.inputs[i].port}));
    }
  }
}

}  // namespace flowgraph
