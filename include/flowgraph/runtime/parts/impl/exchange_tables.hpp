#pragma once

#include <flowgraph/op/make_table.hpp>
#include <flowgraph/passes/draft.hpp>
#include <flowgraph/runtime/parts/exchange.hpp>

#include <array>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class exchange_tables {
public:
  static const op_table& of(exchange_op op) {
    static const exchange_tables all;
    return all.tables_[static_cast<std::size_t>(op)];
  }

private:
  exchange_tables() {
    for (argument& a : inputs_) a.is_on_host = true;  // values of these loops are not transferred
    for (argument& a : outputs_) a.is_output = true;
    make(exchange_op::send, "_PartSend", control_flow::send, 1, 0);
    make(exchange_op::receive, "_PartReceive", control_flow::receive, 0, 1);
    make(exchange_op::send_control, "_PartSend", control_flow::send, 0, 0);
    make(exchange_op::receive_control, "_PartReceive", control_flow::receive, 0, 0);
    make(exchange_op::enter, "_LoopEnter", control_flow::enter, 1, 1).attributes = attribute_table<entered_frame>::all;
    make(exchange_op::merge, "_LoopMerge", control_flow::merge, 2, 2);
    make(exchange_op::switch_, "_LoopSwitch", control_flow::switch_, 2, 2);
    make(exchange_op::next_iteration, "_LoopNext", control_flow::next_iteration, 1, 1);
  }
  op_description& make(exchange_op op, std::string_view name, control_flow control, std::size_t inputs, std::size_t outputs) {
    op_description& d = descriptions_[static_cast<std::size_t>(op)];
    d = describe_made_op(name, true);
    d.inputs = std::span(inputs_).first(inputs);
    d.outputs = std::span(outputs_).first(outputs);
    d.flow = &rules_of_exchange;
    d.runner = ready_queue_runner;
    op_table& t = tables_[static_cast<std::size_t>(op)];
    t = {};
    t.description = &d;
    t.control = control;
    t.not_differentiable = true;
    return d;
  }

  std::array<argument, 2> inputs_{}, outputs_{};
  std::array<op_description, static_cast<std::size_t>(exchange_op::count)> descriptions_;
  std::array<op_table, static_cast<std::size_t>(exchange_op::count)> tables_;
};

FLOWGRAPH_INLINE const op_table& exchange_table(exchange_op op) { return exchange_tables::of(op); }

}  // namespace flowgraph::detail
