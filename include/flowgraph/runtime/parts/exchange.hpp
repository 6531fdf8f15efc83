#pragma once
// The ops at the edges where a plan is cut: they send to another part and receive from it. A loop of these ops makes a part follow
// the iterations of a loop of another part.

#include <flowgraph/graph/node.hpp>
#include <flowgraph/runtime/schedule/flow_rules.hpp>

#include <string>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

enum class exchange_op : std::uint8_t {
  send,             // one input
  receive,          // one output
  send_control,     // sends a signal that its control inputs have run
  receive_control,  // receives this signal
  enter,            // these four form a loop that follows a loop of another part, and carry one bool
  merge,
  switch_,
  next_iteration,
  count
};

// Returns the table of an op. The tables specify no types: a send accepts any value, and a receive returns any value.
const op_table& exchange_table(exchange_op op);

// The attributes of exchange_op::enter.
struct entered_frame {
  std::string name;
  std::int64_t parallel_iterations = 0;
  static constexpr auto attrs = flowgraph::attrs(required("frame_name", &entered_frame::name),
                                                 required("parallel_iterations", &entered_frame::parallel_iterations));
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/parts/impl/exchange_tables.hpp>
#include <flowgraph/runtime/parts/impl/exchange.hpp>
#endif
