#pragma once
// A run in thought: tasks with times, what they hand to each other, and the devices that could run them. Knows nothing of ops and
// graphs, and does the same each time that it is asked.
//
// Devices are served by lines. A line serves what waits for it in the order of arrival, with as many threads as it has; of what arrives
// together, the lower number first. Devices that one thread serves share a line. What crosses from one device to another is carried once
// for each device that reads it, by the line of the link between the two, a channel or the thread that copies; it takes the link's
// latency, and a time for each byte.

#include <flowgraph/config.hpp>
#include <flowgraph/core/sequence.hpp>

#include <cstdint>
#include <limits>
#include <span>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

struct task_graph {
  // The time of a task on a device that cannot run it.
  static constexpr double never = std::numeric_limits<double>::infinity();

  struct device {
    std::uint32_t line;
    std::uint64_t memory_limit = 0;  // bytes; 0: none
  };
  struct link {
    double latency = 0, per_byte = 0;
    std::uint32_t line = 0;
    double seconds_for(std::uint64_t bytes) const { return latency + per_byte * static_cast<double>(bytes); }
  };
  struct task {
    std::uint32_t group;
    std::uint64_t kept;  // bytes that lie on its device throughout, such as those of a variable
    std::uint32_t first_output = 0, output_count = 0;
  };
  struct tensor {
    std::uint32_t from;
    std::uint64_t bytes;
    bool is_kept;                     // lies in what its task keeps: takes memory only where it is carried to
    sequence<std::uint32_t> readers;  // each once
  };

  // Returns its number, as do the others.
  std::uint32_t add_line(std::uint32_t threads = 1);
  // Links to and from it cost nothing until they are set.
  std::uint32_t add_device(const device& d);
  void set_link(std::uint32_t from, std::uint32_t to, const link& l) { links[from * devices.size() + to] = l; }
  // The tasks of a group stand on one device. All devices may have it.
  std::uint32_t add_group();
  void forbid(std::uint32_t group, std::uint32_t at) { allowed[group * devices.size() + at] = false; }
  // Once all devices are there; a device's time is `never` where it lacks a kernel. Forbids its group the devices that cannot run it.
  std::uint32_t add_task(std::uint32_t group, std::span<const double> seconds, std::uint64_t kept = 0);
  // What the task that was added last makes.
  std::uint32_t add_tensor(std::uint64_t bytes, bool is_kept = false);
  // All that a task reads is told at once: then it counts once as a reader of a tensor, however often it reads it.
  void add_reader(std::uint32_t of, std::uint32_t reader);
  // `after` waits for `before`, and nothing is carried.
  void add_order(std::uint32_t before, std::uint32_t after) { orders[before].push_back(after); }

  double seconds_of(std::uint32_t which, std::uint32_t at) const { return seconds[which * devices.size() + at]; }
  bool is_allowed(std::uint32_t group, std::uint32_t at) const { return allowed[group * devices.size() + at]; }
  const link& link_of(std::uint32_t from, std::uint32_t to) const { return links[from * devices.size() + to]; }
  std::size_t group_count() const { return devices.empty() ? 0 : allowed.size() / devices.size(); }

  sequence<std::uint32_t> lines;  // threads of each
  sequence<device> devices;
  sequence<link> links;      // from, to
  sequence<char> allowed;    // group, device
  sequence<double> seconds;  // task, device
  sequence<task> tasks;
  sequence<tensor> tensors;
  sequence<sequence<std::uint32_t>> orders;  // tasks that wait for each
};

// What became of an assignment.
struct simulated_run {
  struct span_of_time {
    double start, end;
  };
  struct transfer {
    std::uint32_t tensor, from, to;
    double start, end;
  };
  double seconds =
      0;  // from the start to the end of the last task or transfer; `never` where a task cannot run or tasks wait for each other
  sequence<span_of_time> tasks;
  sequence<transfer> transfers;
  sequence<std::uint64_t> peaks;  // bytes at a time, of each device
  std::uint64_t excess = 0;       // bytes above the limits of devices, summed
};

// Keeps its arrays from one run to the next. The graph outlives it and does not change.
class simulation {
public:
  explicit simulation(const task_graph& g);
  // `places`: a device for each group. Valid until the next run.
  const simulated_run& run(std::span<const std::uint32_t> places);

private:
  // A task, or what carries a tensor to a device.
  struct job {
    double ready;
    std::uint32_t number;  // of tasks, then of transfers
    std::uint32_t device;
    bool operator<(const job& other) const { return ready != other.ready ? ready > other.ready : number > other.number; }
  };
  void run_task(const job& j, std::span<const std::uint32_t> places);
  void carry(const job& j, std::span<const std::uint32_t> places);
  void release(std::uint32_t task, double at, std::span<const std::uint32_t> places);
  void finish(std::uint32_t task, double at, std::span<const std::uint32_t> places);
  double serve(std::uint32_t line, double ready, double duration);
  void measure_memory(std::span<const std::uint32_t> places);

  const task_graph& graph_;
  simulated_run made_;
  sequence<std::uint32_t> waits_, left_;
  sequence<double> ready_, free_;
  sequence<std::uint32_t> first_thread_;  // of each line, in free_
  sequence<job> queue_;
  bool has_limits_ = false;
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/placement/impl/simulation.hpp>
#endif
