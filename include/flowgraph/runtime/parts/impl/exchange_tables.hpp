#pragma once

#include <flowgraph/passes/draft.hpp>
#include <flowgraph/runtime/parts/exchange.hpp>

#include <array>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

class exchange_tables {
public:
  static const op_table& of(exchange_op op) {
    static const exchange_tables all;
    return all.tables_[static_cast<std::size_t>(op)];
  }

private:
  exchange_tables() {
    plain_.flow = &rules_of_exchange;
    plain_.runner = ready_queue_runner;
    entering_ = plain_;
    frame_[0] = {.name = "frame_name",
                 .kind = attribute_kind::string,
                 .required = true,
                 .get = [](const void* op) { return attribute_value(static_cast<const entered_frame*>(op)->name); },
                 .set = nullptr};
    frame_[1] = {
        .name = "parallel_iterations",
        .kind = attribute_kind::integer,
        .required = true,
        .get = [](const void* op) { return attribute_value(static_cast<const entered_frame*>(op)->parallel_iterations); },
        .set = nullptr};
    entering_.attributes = frame_;
    for (argument& a : inputs_) a.is_on_host = true;  // what goes around a loop stays where it is
    for (argument& a : outputs_) a.is_output = true;
    make(exchange_op::send, "_PartSend", control_flow::send, 1, 0);
    make(exchange_op::receive, "_PartReceive", control_flow::receive, 0, 1);
    make(exchange_op::send_control, "_PartSend", control_flow::send, 0, 0);
    make(exchange_op::receive_control, "_PartReceive", control_flow::receive, 0, 0);
    make(exchange_op::enter, "_LoopEnter", control_flow::enter, 1, 1).description = &entering_;
    make(exchange_op::merge, "_LoopMerge", control_flow::merge, 2, 2);
    make(exchange_op::switch_, "_LoopSwitch", control_flow::switch_, 2, 2);
    make(exchange_op::next_iteration, "_LoopNext", control_flow::next_iteration, 1, 1);
  }
  op_table& make(exchange_op op, std::string_view name, control_flow control, std::size_t inputs, std::size_t outputs) {
    op_table& t = tables_[static_cast<std::size_t>(op)];
    t = {};
    t.name = name;
    t.inputs = std::span(inputs_).first(inputs);
    t.outputs = std::span(outputs_).first(outputs);
    t.description = &plain_;
    t.control = control;
    t.not_differentiable = true;
    return t;
  }

  op_description plain_ = describe_made_op(true), entering_;
  std::array<attribute_info, 2> frame_;
  std::array<argument, 2> inputs_{}, outputs_{};
  std::array<op_table, static_cast<std::size_t>(exchange_op::count)> tables_;
};

FLOWGRAPH_INLINE const op_table& exchange_table(exchange_op op) { return exchange_tables::of(op); }

}  // namespace detail

}
}  // namespace flowgraph
