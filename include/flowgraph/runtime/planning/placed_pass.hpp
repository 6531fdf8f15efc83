#pragma once
// Data for a further pass that runs when each node of the draft has its device, in addition to pass_call.

#include <flowgraph/passes/improve.hpp>
#include <flowgraph/runtime/placement.hpp>
#include <flowgraph/runtime/planning/transfers.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct placed_call {
  const placement& devices;
  transfers& crossing;  // creates nodes that belong to the plan
  bool is_cut;          // true: each device will have its own plan
  pass_report& report;
};

}  // namespace flowgraph::detail
