#pragma once
// A placement policy: places nodes that may run on several devices so that a simulated run of the graph is as short as possible.
//
//     fg::cost_model costs;
//     fg::cost_placement by_cost(costs);
//     fg::session s{g, {.devices = devices, .placement = &by_cost}};
//
// The simulated run contains all nodes that the graph has when a session first uses it, with the times of the cost model. Feeds
// come from the host, and both sides of a branch are counted. A loop and its inner loops are placed on one device, except for
// nodes that require a different device. Nodes that are added later are placed by a further simulation; the other nodes keep
// their devices.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/placement/cost_model.hpp>
#include <flowgraph/placement/placer.hpp>
#include <flowgraph/runtime/placement.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The forecast for the latest placement by a cost_placement.
struct placement_forecast {
  double seconds = 0;                // duration of the simulated run
  std::uint64_t excess = 0;          // bytes above the limits of devices, if no placement was found that respects them
  std::vector<std::uint64_t> peaks;  // largest number of bytes in use at a time, for each device
  std::vector<std::string> devices;  // names of the devices
  std::size_t transfers = 0;         // number of transfers in the run
};

// The placement policy that uses a cost model. Several sessions may use the same object.
class cost_placement final : public placement_policy {
public:
  // The model must outlive this object, and must not change while sessions are placed. `effort`: as for place_groups.
  explicit cost_placement(const cost_model& costs, std::size_t effort = 2'000'000) : costs_(costs), effort_(effort) {}

  // Returns the forecast for the latest placement.
  placement_forecast forecast() const;

private:
  FLOWGRAPH_INLINE void choose(placement_question& q) override;

  const cost_model& costs_;
  std::size_t effort_;
  mutable threading::mutex mutex_;
  placement_forecast latest_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/placement/impl/cost_placement.hpp>
#endif
