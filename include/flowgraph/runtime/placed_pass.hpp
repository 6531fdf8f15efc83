#pragma once
// Data for a further pass that runs when each node of the draft has its device.

#include <flowgraph/passes/options.hpp>
#include <flowgraph/runtime/placement.hpp>
#include <flowgraph/runtime/transfers.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

struct placed_call {
  const placement& devices;
  transfers& crossing;  // creates nodes that belong to the plan
  bool is_cut;          // true: each device will have its own plan
  pass_report& report;  // for notes and too_large; the result of the pass is added to `changed`
};

}  // namespace detail

}
}  // namespace flowgraph
