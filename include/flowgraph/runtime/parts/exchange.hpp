#pragma once
// The ops that stand where a plan is cut: what sends to another part and receives from it, and the loop that makes a part take part in
// the iterations of another.

#include <flowgraph/graph/node.hpp>
#include <flowgraph/runtime/flow_rules.hpp>

#include <string>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

enum class exchange_op : std::uint8_t {
  send,             // one input
  receive,          // one output
  send_control,     // the news that its control inputs have run
  receive_control,  // the same at the other end
  enter,            // these four carry one bool around a loop of another part
  merge,
  switch_,
  next_iteration,
  count
};

// The tables have no types: a send takes any value, a receive gives any.
const op_table& exchange_table(exchange_op op);

// The attributes of exchange_op::enter.
struct entered_frame {
  std::string name;
  std::int64_t parallel_iterations = 0;
  static constexpr auto attrs = flowgraph::attrs(required("frame_name", &entered_frame::name),
                                                 required("parallel_iterations", &entered_frame::parallel_iterations));
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/parts/impl/exchange_tables.hpp>
#include <flowgraph/runtime/parts/impl/exchange.hpp>
#endif
