#pragma once
// Records runs on one timeline: kernels with their threads and devices, waiting times, memory, transfers and steps.
//
//     fg::trace_recorder seen;
//     s.run(fg::fetch(loss), {{x, images}}, {.trace = &seen});
//     seen.write_chrome_trace("step.json").value();               // for https://ui.perfetto.dev or chrome://tracing
//     std::cout << fg::tables(seen.collect());
//
// Runs, prepared steps and partial runs take a recorder in their options. Runs without a recorder are not affected.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/observe/node_call.hpp>
#include <flowgraph/runtime/options.hpp>
#include <flowgraph/runtime/tracing/run_trace.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {
class trace_log;
}

// Limits of a recorder, and the names in its traces.
struct trace_options {
  std::size_t most_records = 1'000'000;  // largest number of records, of about 100 bytes each; further events are only counted
  std::string process = "flowgraph";     // name of this process in traces
  std::string machine = {};              // name of the machine; empty: the system's name
};

// A process that was traced, or a task of a cluster. Its times come from its own steady clock.
struct traced_process {
  static constexpr std::uint32_t none = 0xffffffffu;

  std::string name, machine;     // name of the process, and of its machine
  std::uint64_t number = 0;      // the system's process id
  std::int64_t wall_offset = 0;  // nanoseconds to add to a time to get nanoseconds since 1970
  // For a task that runs parts for a session: index of the session's process in collected_trace::processes. The step numbers in
  // the task's records are those of the session's process. For other processes: `none`.
  std::uint32_t asked_by = none;
  // For such a task: number of nanoseconds by which its clock was ahead of the clock of the session's process, and the possible
  // error of this number.
  std::int64_t clock_offset = 0, clock_error = 0;
};

// A thread with recorded events.
struct traced_thread {
  std::uint32_t process = 0;        // index in collected_trace::processes
  std::uint32_t number = 0;         // number of the thread in its process, in the order of first events
  std::uint64_t system_number = 0;  // the system's thread id; 0 if it has none
};

// A node in one plan.
struct traced_node {
  std::string name;                         // name of the node
  std::string op;                           // name of its op
  std::string device;                       // name of its device
  std::uint32_t plan = 0;                   // number of the plan in the trace
  bool is_transfer = false;                 // true: the node copies a value between devices
  std::vector<std::uint32_t> readers = {};  // indices of the nodes that wait for it
  // The edges that it reads: "x, w:1". For a node that receives a value, the name of the sent tensor.
  std::string inputs = {};
};

// A record of a trace. Times are nanoseconds of the clock of its process.
struct trace_event {
  static constexpr std::uint32_t none = 0xffffffffu;

  trace_kind kind = trace_kind::nothing;  // the kind of event
  std::uint32_t thread = 0;               // index in collected_trace::threads
  std::uint32_t node = none;              // index in collected_trace::nodes
  std::uint32_t step = 0;                 // number of the step, counted per process from 1; 0: outside of runs
  std::uint32_t loop = none;              // index in collected_trace::texts; none: outside of loops
  // Index in collected_trace::texts. The text names, for a wait, the thing that was waited for; for a transfer, the task at the
  // other end; for a kernel, its outputs: "float[2,3], int32[]".
  std::uint32_t text = none;
  std::uint32_t edge = none;        // number of a transfer, which is the same at both ends
  std::uint64_t iteration = 0;      // iteration of the loop
  std::uint64_t key = 0;            // number of the iteration in its step; for memory, the address
  std::int64_t ready = 0;           // time at which the event became ready to run, or began to wait for a transfer; 0: not known
  std::int64_t start = 0, end = 0;  // start and end of the event
  std::uint64_t bytes = 0;          // size of the outputs, of the memory or of the copy
  // A thread's context switches in a step: [0] voluntary switches, by waiting; [1] other switches.
  std::uint64_t switches[2] = {0, 0};

  // Returns the duration in nanoseconds.
  std::int64_t duration() const noexcept { return end - start; }
  // Returns how long the event had been ready before it started; 0 if that is not known.
  std::int64_t delay() const noexcept { return ready > 0 && ready < start ? start - ready : 0; }
};

// The records of one or several recorders, in the order of their start times.
struct collected_trace {
  std::vector<traced_process> processes = {};  // the traced processes
  std::vector<traced_thread> threads = {};     // their threads
  std::vector<traced_node> nodes = {};         // the nodes of their plans
  std::vector<trace_event> events = {};        // the records
  std::vector<std::string> texts = {};         // texts that records refer to
  std::uint64_t dropped = 0;                   // number of records that exceeded the limit

  // Adds the trace of another process or machine to the same timeline. The times of both are aligned by their wall clocks.
  void add(const collected_trace& other);
  // Converts a time of the event to nanoseconds since 1970.
  std::int64_t wall_time(const trace_event& e, std::int64_t time) const {
    return time + processes[threads[e.thread].process].wall_offset;
  }
};

// Records the events of runs. Runs on several threads may share a recorder. The recorder must outlive the runs, but the tensors
// of the runs may outlive the recorder.
class trace_recorder final : public run_tracer {
public:
  explicit trace_recorder(trace_options options = {});
  FLOWGRAPH_INLINE ~trace_recorder() override;
  trace_recorder(const trace_recorder&) = delete;
  trace_recorder& operator=(const trace_recorder&) = delete;

  // Returns a copy of the records so far. For runs that are still in progress, the copy may contain only some of the records.
  collected_trace collect() const;
  // Discards all records, including those of the runs in progress.
  void clear();
  // Writes collect() to a file in the format of to_chrome_trace().
  result<void> write_chrome_trace(const std::string& path) const;

private:
  FLOWGRAPH_INLINE std::unique_ptr<detail::run_trace> begin() override;

  trace_options options_;
  traced_process process_;
  mutable threading::mutex mutex_;
  std::shared_ptr<detail::trace_log> log_;
};

// Returns JSON in Chrome's trace event format, which Perfetto reads as well. Times are relative to `zero`, a time in nanoseconds
// since 1970. If `zero` is 0, times are relative to the first record. Files that are to be combined need the same `zero`.
std::string to_chrome_trace(const collected_trace& t, std::int64_t zero = 0);

// A function that receives traces, possibly from several threads at a time.
using trace_listener = std::function<void(const collected_trace&)>;

// Returns a listener for task_options::on_trace that writes each trace and its tables to files in the folder:
// "job_worker_task_1.7.trace.json" and "job_worker_task_1.7.tables.txt" for the 7th trace. Traces after the first `most`, and
// traces that cannot be written, are skipped. If the folder does not exist, returns an error.
result<trace_listener> trace_files(const std::string& folder, std::size_t most = 1000);

namespace detail {
traced_process this_process(const trace_options& options);
// Returns the records of a log, attributed to one process.
collected_trace collect_log(const traced_process& of, const trace_log& log);
// Returns the process itself, or the process that requested its parts.
inline std::uint32_t asking_process(const collected_trace& t, std::uint32_t process) {
  const std::uint32_t by = t.processes[process].asked_by;
  return by == traced_process::none ? process : by;
}
}  // namespace detail

// ---- tables

// Total times of kernel calls.
struct trace_sum {
  std::string name;              // name of the op, node or scope
  std::uint64_t calls = 0;       // number of kernel calls
  std::int64_t nanoseconds = 0;  // time in kernels, without waiting
  std::int64_t delay = 0;        // time between ready and start
  std::uint64_t bytes = 0;       // size of outputs
};
// Returns the totals by op, longest first.
std::vector<trace_sum> time_by_op(const collected_trace& t);
// Returns the totals by node, longest first.
std::vector<trace_sum> time_by_node(const collected_trace& t);
// Returns the totals by scope, longest first. The total of a scope is the sum of all nodes in the scope; the scope "" contains
// all nodes.
std::vector<trace_sum> time_by_scope(const collected_trace& t);

// The memory that sessions held at one moment, listed by the nodes that allocated it.
struct trace_memory {
  struct holder {
    // Name of the node. Empty: memory that no node allocated.
    std::string name;
    std::uint64_t bytes = 0;
  };
  std::uint64_t peak = 0;            // bytes
  std::uint32_t step = 0;            // the step in which the peak was reached
  std::vector<holder> holders = {};  // the nodes, with the bytes that they have allocated
};
// Returns the memory that was in use at the moment of its peak.
trace_memory peak_memory(const collected_trace& t);

// A node on the critical path of a step. All iterations of a node in a loop are combined.
struct path_node {
  std::string name, op;          // name and op of the node
  std::int64_t nanoseconds = 0;  // time of its calls on the path
};
// Returns the critical path of a step: the path through the graph with the longest measured time. With any number of threads, the
// step takes at least this time. The path includes tasks that run parts of the step, and the time to send values, but not the
// time for which values are in transit.
std::vector<path_node> critical_path(const collected_trace& t, std::uint32_t step, std::uint32_t process = 0);

// Returns all tables as text, each with the first `most` nodes, scopes or holders of memory. The critical path is that of the
// last step.
std::string tables(const collected_trace& t, std::size_t most = 20);

// Returns the kernel calls of one step, or of all steps if `step` is 0, in the order of their start times. The result is plain
// data for event_writer::add_run and other tools.
std::vector<node_call> node_calls(const collected_trace& t, std::uint32_t step = 0);

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/chrome_trace.hpp>
#include <flowgraph/observe/impl/trace.hpp>
#include <flowgraph/observe/impl/trace_collector.hpp>
#include <flowgraph/observe/impl/trace_tables.hpp>
#endif
