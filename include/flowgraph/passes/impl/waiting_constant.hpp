#pragma once

#include <flowgraph/op/kernel.hpp>
#include <flowgraph/passes/draft.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Not described: two of them are never one.
inline constexpr op_description description_of_waiting_constants = describe_made_op(false);

FLOWGRAPH_SELDOM void draft::make_waiting_constant(draft_node& n, any_tensor value, std::span<draft_node* const> after) {
  if (!waiting_constants) waiting_constants = std::make_shared<std::list<waiting_constant>>();
  waiting_constant& made = waiting_constants->emplace_back();
  made.value = std::move(value);
  made.declared.fixed = made.output.type = made.value.type();
  made.declared.is_output = made.declared.is_unsized = made.output.is_unsized = true;
  made.output.shape = made.value.shape();
  op_table& t = made.table;
  t.name = n.table->name;
  t.outputs = {&made.declared, 1};
  t.description = &description_of_waiting_constants;
  t.not_differentiable = true;
  t.constant = [](const void* op) { return static_cast<const any_tensor*>(op); };
  t.kernel = [](const void* op, kernel_call& call) { cpu(call).set_output(0, *static_cast<const any_tensor*>(op)); };
  made.at = *n.origin;
  made.at.op = &t;
  made.at.attributes = &made.value;
  made.at.inputs = {};
  made.at.control_inputs = {};
  made.at.outputs = {&made.output, 1};
  made.at.list_sizes = nullptr;

  n.origin = &made.at;
  n.table = &t;
  n.attributes = &made.value;
  n.list_sizes = nullptr;
  n.inputs = {};
  n.outputs = made.at.outputs;
  wait_for(n, after);
  for (draft_node* before : after) before->is_waited_for = true;
}

}  // namespace detail

}
}  // namespace flowgraph
