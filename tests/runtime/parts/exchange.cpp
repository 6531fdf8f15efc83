#include <flowgraph/runtime/parts/exchange.hpp>

#include "../../harness/engine_ops.hpp"

using namespace engine;
using fg::detail::exchange_op;
using fg::detail::exchange_table;

TEST_CASE("exchange: every op has its table, with its part in control flow") {
  using fg::control_flow;
  const auto check_table = [](exchange_op op, control_flow control, std::size_t inputs, std::size_t outputs) {
    const fg::op_table& t = exchange_table(op);
    CHECK(t.control == control);
    CHECK(t.inputs().size() == inputs);
    CHECK(t.outputs().size() == outputs);
    CHECK(&t.description->flow() == &fg::detail::rules_of_exchange());
  };
  check_table(exchange_op::send, control_flow::send, 1, 0);
  check_table(exchange_op::receive, control_flow::receive, 0, 1);
  check_table(exchange_op::send_control, control_flow::send, 0, 0);
  check_table(exchange_op::receive_control, control_flow::receive, 0, 0);
  check_table(exchange_op::enter, control_flow::enter, 1, 1);
  check_table(exchange_op::merge, control_flow::merge, 2, 2);
  check_table(exchange_op::switch_, control_flow::switch_, 2, 2);
  check_table(exchange_op::next_iteration, control_flow::next_iteration, 1, 1);
}

TEST_CASE("exchange: the frame of a followed loop is an attribute of its Enter") {
  const fg::detail::entered_frame frame{"loop", 7};
  fg::node n;
  n.op = &exchange_table(exchange_op::enter);
  n.attributes = const_cast<fg::detail::entered_frame*>(&frame);
  CHECK(*fg::detail::attribute_of(n, "frame_name").get<std::string>() == "loop");
  CHECK(*fg::detail::attribute_of(n, "parallel_iterations").get<std::int64_t>() == 7);
}

TEST_CASE("exchange: the rules of a plan with branches are those of a plan that also exchanges") {
  CHECK(fg::detail::rules_of_exchange().exchanges);
  CHECK_FALSE(fg::detail::rules_of_flow().exchanges);
  const bool has_same_frames = fg::detail::rules_of_exchange().assign_frames == fg::detail::rules_of_flow().assign_frames;
  CHECK(has_same_frames);
}
