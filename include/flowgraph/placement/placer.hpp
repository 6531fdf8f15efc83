#pragma once
// Chooses a device for each group of a task graph, so that a simulated run is short.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/placement/simulation.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct placed_groups {
  sequence<std::uint32_t> places;  // a device for each group
  double seconds = task_graph::never;
  std::uint64_t excess = 0;  // bytes above the limits of devices, if no placement was found that respects them
};

// Places the tasks with the longest remaining path first; each group gets the device on which its first task would finish first,
// including transfers and memory limits. This placement, and placements on single devices, are then improved: a group, or two
// groups that exchange a value, are moved as long as the simulated run gets shorter. `effort` limits the number of simulated
// tasks and transfers. Exceeding a memory limit counts more than any time. The result is never worse than a single device, and
// always the same for the same input. Precondition: each group has an allowed device.
placed_groups place_groups(const task_graph& g, std::size_t effort = 2'000'000);

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/placement/impl/placer.hpp>
#endif
