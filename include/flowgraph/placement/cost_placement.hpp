#pragma once
// Puts nodes that may stand on several devices where a simulated run of the graph ends first.
//
//     fg::cost_model costs;
//     fg::cost_placement by_cost(costs);
//     fg::session s{g, {.devices = devices, .place = &by_cost}};
//
// The run is one of all nodes that the graph has when a session first looks at it, each taking what the model says. What is fed comes
// from the host; both sides of a branch are counted. A loop, with those in it, goes to one device, but for nodes that ask for another.
// Nodes that are added later are placed by a run in which the others stand where they do.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/placement/cost_model.hpp>
#include <flowgraph/placement/placer.hpp>
#include <flowgraph/runtime/placement.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// What the latest answer of a cost_placement was made by.
struct placement_forecast {
  double seconds = 0;                // of the simulated run
  std::uint64_t excess = 0;          // bytes above the limits of devices, where nothing was found that keeps them
  std::vector<std::uint64_t> peaks;  // bytes at a time, of each device
  std::vector<std::string> devices;  // their names
  std::size_t transfers = 0;         // that the run makes
};

// May be given to several sessions.
class cost_placement final : public placement_policy {
public:
  // The model outlives it, and does not change while sessions are placed. `effort`: of place_groups.
  explicit cost_placement(const cost_model& costs, std::size_t effort = 2'000'000) : costs_(costs), effort_(effort) {}

  // What the latest answer was made by.
  placement_forecast forecast() const;

private:
  FLOWGRAPH_INLINE void choose(placement_question& q) override;

  const cost_model& costs_;
  std::size_t effort_;
  mutable threading::mutex mutex_;
  placement_forecast latest_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/placement/impl/cost_placement.hpp>
#endif
