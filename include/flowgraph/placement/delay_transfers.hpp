#pragma once
// A further pass that delays transfers between devices until their first reader is about to run. A device then holds only the
// values that it works with, and not all values that other devices have computed for it.
//
//     fg::delay_transfers held(costs);
//     fg::session s{g, {.devices = devices, .passes = {.further = {held}}}};
//
// The cost model determines when each node would begin in a run in the order of the plan. A transfer waits for the latest node of
// the reading device that ends early enough for the value to arrive in time. If the link has its own channel, the node must end
// before the start of the reader by at least the duration of the transfer; otherwise it must only end before the start of the
// reader. Meanwhile the value stays on its device, unless that device would exceed its memory limit. Transfers in branches and
// loops are not delayed. If you also use save_memory, list delay_transfers first, since fg::further_passes run in order.

#include <flowgraph/passes/options.hpp>
#include <flowgraph/placement/cost_model.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The further pass that delays transfers. The pass and its cost model must outlive the sessions that use them.
class delay_transfers : public further_pass {
public:
  // `smallest`: size in bytes from which transfers are delayed.
  explicit delay_transfers(const cost_model& costs, std::size_t smallest = 1024)
      : further_pass{"delay_transfers", pass_stage::after_placement, &delay_transfers::run_on}, costs_(costs),
        smallest_(smallest) {}

private:
  static std::size_t run_on(const further_pass& self, detail::draft& d, detail::pass_call& call);

  const cost_model& costs_;
  std::size_t smallest_;
};

using hold_transfers [[deprecated("use delay_transfers")]] = delay_transfers;

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/placement/impl/delay_transfers.hpp>
#endif
