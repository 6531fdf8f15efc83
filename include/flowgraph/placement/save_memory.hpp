#pragma once
// A further pass that keeps devices within their limits: values that are read again long after are computed again, or lie on the host
// until then, whichever costs less.
//
//     fg::cost_model costs;
//     fg::save_memory saving(costs);
//     fg::session s{g, {.devices = devices, .passes = {.further = {saving}}}};
//
// A run is looked at as it goes on one thread, in the order of the plan. Where it takes more memory of a device than its limit, values
// that nobody reads there, but somebody later, are taken away, those first that cost the least time for their bytes and the time that
// they are away. A value is computed again, by the nodes that made it, where these have no state, draw no random numbers, and find
// what they read as it was; else it is copied to the first device, and back. Either waits for the node before its next reader. What
// is in a branch or a loop stays. Results keep their bits.
//
// Sizes are those of the cost model: shapes as declared, as measured, or as by its defaults.

#include <flowgraph/passes/options.hpp>
#include <flowgraph/placement/cost_model.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

struct memory_options {
  std::size_t limit = 0;        // bytes, of devices that have no limit of their own; 0: none
  bool recompute = true;        // values may be computed again
  bool swap = true;             // values may lie on the host
  std::size_t smallest = 1024;  // bytes; values below it stay
};

// Outlives the sessions that name it, as does the model.
class save_memory : public further_pass {
public:
  explicit save_memory(const cost_model& costs, const memory_options& options = {})
      : further_pass{"save_memory", nullptr, &save_memory::run_on}, costs_(costs), options_(options) {}

private:
  static std::size_t run_on(const further_pass& self, detail::draft& d, detail::placed_call& call);

  const cost_model& costs_;
  memory_options options_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/placement/impl/save_memory.hpp>
#endif
