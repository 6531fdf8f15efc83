#pragma once
// What a further pass gets that runs once every node of the draft has its device.

#include <flowgraph/passes/options.hpp>
#include <flowgraph/runtime/placement.hpp>
#include <flowgraph/runtime/transfers.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

struct placed_call {
  const placement& devices;
  transfers& crossing;  // makes nodes that belong to the plan
  bool is_cut;          // each device will have a plan of its own
  pass_report& report;  // for notes, and what was too large; what it returns is added to `changed`
};

}  // namespace detail

}
}  // namespace flowgraph
