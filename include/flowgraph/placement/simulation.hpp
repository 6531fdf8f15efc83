#pragma once
// Simulates a run: tasks with durations, the values that they exchange, and the devices that can run them. It does not know ops
// and graphs, and always returns the same result for the same input.
//
// Devices are served by queues called lines. A line serves its jobs in the order of arrival with its number of threads; of jobs
// that arrive at the same time, the lower index is first. Devices that one thread serves share a line. A value is transferred
// once to each device that reads it, by the line of the link: a channel, or the thread that copies. A transfer takes the link's
// latency, and a time per byte.

#include <flowgraph/config.hpp>
#include <flowgraph/core/sequence.hpp>

#include <cstdint>
#include <limits>
#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct task_graph {
  // The time of a task on a device that cannot run it.
  static constexpr double never = std::numeric_limits<double>::infinity();

  struct device {
    std::uint32_t line;
    std::uint64_t memory_limit = 0;  // bytes; 0: no limit
  };
  struct link {
    double latency = 0, per_byte = 0;
    std::uint32_t line = 0;
    double seconds_for(std::uint64_t bytes) const { return latency + per_byte * static_cast<double>(bytes); }
  };
  struct task {
    std::uint32_t group;
    std::uint64_t kept;  // bytes that it uses on its device during the whole run, such as those of a variable
    std::uint32_t first_output = 0, output_count = 0;
  };
  struct tensor {
    std::uint32_t from;
    std::uint64_t bytes;
    bool is_kept;  // part of the kept bytes of its task: takes memory only on devices that it is transferred to
    sequence<std::uint32_t> readers;  // the tasks that read it, without duplicates
  };

  // Adds a line and returns its index; the other functions return indices too.
  std::uint32_t add_line(std::uint32_t threads = 1);
  // Adds a device. Its links cost nothing until they are set.
  std::uint32_t add_device(const device& d);
  void set_link(std::uint32_t from, std::uint32_t to, const link& l) { links[from * devices.size() + to] = l; }
  // Adds a group. Its tasks are placed on the same device; all devices are allowed.
  std::uint32_t add_group();
  void forbid(std::uint32_t group, std::uint32_t at) { allowed[group * devices.size() + at] = false; }
  // Adds a task, after all devices. The time is `never` for a device that has no kernel, and the group cannot be placed there.
  std::uint32_t add_task(std::uint32_t group, std::span<const double> seconds, std::uint64_t kept = 0);
  // Adds a result of the task that was added last.
  std::uint32_t add_tensor(std::uint64_t bytes, bool is_kept = false);
  // Adds a reader. Add all inputs of a task before those of the next task; then it is counted once per tensor.
  void add_reader(std::uint32_t of, std::uint32_t reader);
  // Makes `after` wait for `before`, without a transfer.
  void add_order(std::uint32_t before, std::uint32_t after) { orders[before].push_back(after); }

  double seconds_of(std::uint32_t which, std::uint32_t at) const { return seconds[which * devices.size() + at]; }
  bool is_allowed(std::uint32_t group, std::uint32_t at) const { return allowed[group * devices.size() + at]; }
  const link& link_of(std::uint32_t from, std::uint32_t to) const { return links[from * devices.size() + to]; }
  std::size_t group_count() const { return devices.empty() ? 0 : allowed.size() / devices.size(); }

  sequence<std::uint32_t> lines;  // number of threads of each line
  sequence<device> devices;
  sequence<link> links;      // speed of each link, by from, to
  sequence<char> allowed;    // whether the device is allowed, by group, device
  sequence<double> seconds;  // duration, by task, device
  sequence<task> tasks;
  sequence<tensor> tensors;
  sequence<sequence<std::uint32_t>> orders;  // for each task, the tasks that wait for it
};

// The result of simulating an assignment.
struct simulated_run {
  struct span_of_time {
    double start, end;
  };
  struct transfer {
    std::uint32_t tensor, from, to;
    double start, end;
  };
  double seconds =
      0;  // from the start to the end of the last task or transfer; `never` if a task cannot run or tasks wait for each other
  sequence<span_of_time> tasks;
  sequence<transfer> transfers;
  sequence<std::uint64_t> peaks;  // largest number of bytes in use at a time, for each device
  std::uint64_t excess = 0;       // total of the bytes above the limits of devices
};

// Simulates runs of a task graph. It keeps its arrays for the next run. The graph must outlive it and must not change.
class simulation {
public:
  explicit simulation(const task_graph& g);
  // Simulates a run. `places`: a device for each group. The result is valid until the next run.
  const simulated_run& run(std::span<const std::uint32_t> places);

private:
  // A task, or the transfer of a tensor to a device.
  struct job {
    double ready;
    std::uint32_t number;  // first the tasks, then the transfers
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
  simulated_run result_;
  sequence<std::uint32_t> waits_, left_;
  sequence<double> ready_, free_;
  sequence<std::uint32_t> first_thread_;  // first entry in free_ of each line
  sequence<job> queue_;
  bool has_limits_ = false;
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/placement/impl/simulation.hpp>
#endif
