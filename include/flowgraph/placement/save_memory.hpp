#pragma once
// A further pass that keeps devices within their memory limits: values that are needed again only much later are recomputed, or
// kept on the host meanwhile, whichever costs less.
//
//     fg::cost_model costs;
//     fg::save_memory saving(costs);
//     fg::session s{g, {.devices = devices, .passes = {.further = {saving}}}};
//
// The pass assumes that one thread runs the nodes in the order of the plan. If such a run exceeds the memory limit of a device,
// the pass removes values that are not read at that point but later. It begins with values that cost the least time in
// proportion to their bytes and the duration of their absence. A value is recomputed by the nodes that made it if these nodes have no state and draw no random
// numbers, and if their inputs are unchanged; otherwise it is copied to the first device and back. Both are delayed until the node
// before the next reader has run. Values in branches and loops are kept. The bits of results do not change.
//
// Sizes are those of the cost model: from declared shapes, measurements or defaults.

#include <flowgraph/passes/options.hpp>
#include <flowgraph/placement/cost_model.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Options of save_memory.
struct memory_options {
  std::size_t limit = 0;        // bytes, for devices without their own limit; 0: no limit
  bool recompute = true;        // values may be recomputed
  bool swap = true;             // values may be moved to the host
  std::size_t smallest = 1024;  // smaller values, in bytes, are always kept
};

// The further pass that saves memory. The pass and its cost model must outlive the sessions that use them.
class save_memory : public further_pass {
public:
  explicit save_memory(const cost_model& costs, const memory_options& options = {})
      : further_pass{"save_memory", pass_stage::after_placement, &save_memory::run_on}, costs_(costs), options_(options) {}

private:
  static std::size_t run_on(const further_pass& self, detail::draft& d, detail::pass_call& call);

  const cost_model& costs_;
  memory_options options_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/placement/impl/save_memory.hpp>
#endif
