#pragma once
// Finds a device for each group of a task graph, so that a simulated run ends soon.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/placement/simulation.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

struct placed_groups {
  sequence<std::uint32_t> places;  // a device for each group
  double seconds = task_graph::never;
  std::uint64_t excess = 0;  // bytes above the limits of devices, where nothing was found that keeps them
};

// Tasks are taken by what is left to do behind them, the longest way first, and each group is put where its first task would finish first,
// transfers and limits counted. That placement and those on a single device, as far as it is allowed, are then improved: a group, or two
// that hand something to each other, is moved as long as the simulated run gets shorter. `effort` is about how many tasks and transfers
// may be simulated for it. Bytes above a limit weigh more than any time. The outcome is never worse than a single device, and the same
// whenever it is asked for. Each group must be allowed a device.
placed_groups place_groups(const task_graph& g, std::size_t effort = 2'000'000);

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/placement/impl/placer.hpp>
#endif
