#pragma once
// A further pass that holds back what crosses between devices, until its first reader is about to run: a device then holds what it works
// with, not all that others have made for it.
//
//     fg::hold_transfers held(costs);
//     fg::session s{g, {.devices = devices, .passes = {.further = {held}}}};
//
// A run in the order of the plan says when each node begins, by the cost model. A transfer waits for the latest node of its reader's
// device that has ended early enough for it to arrive: where a channel of the link carries it, so long before as it takes, else just
// before its reader. Meanwhile the value lies where it was made; a device whose limit that would pass hands it over at once. What is
// in a branch or a loop is not held. With save_memory, this comes first: fg::further_passes are made in their order.

#include <flowgraph/passes/options.hpp>
#include <flowgraph/placement/cost_model.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Outlives the sessions that name it, as does the model.
class hold_transfers : public further_pass {
public:
  // `smallest`: bytes; values below it are not worth an edge.
  explicit hold_transfers(const cost_model& costs, std::size_t smallest = 1024)
      : further_pass{"hold_transfers", nullptr, &hold_transfers::run_on}, costs_(costs), smallest_(smallest) {}

private:
  static std::size_t run_on(const further_pass& self, detail::draft& d, detail::placed_call& call);

  const cost_model& costs_;
  std::size_t smallest_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/placement/impl/hold_transfers.hpp>
#endif
