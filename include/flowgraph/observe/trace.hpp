#pragma once
// What happens in runs, on one timeline: kernels with their threads and devices, what they waited for, memory, transfers, steps.
//
//     fg::trace_recorder seen;
//     s.run(fg::fetch(loss), {{x, images}}, {.trace = &seen});
//     seen.write_chrome_trace("step.json").value();               // for https://ui.perfetto.dev or chrome://tracing
//     std::cout << fg::tables(seen.collect());
//
// Runs, prepared steps and partial runs take it among their options; those that do not know nothing of it.

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

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {
class trace_log;
}

// How much a recorder keeps, and as whom.
struct trace_options {
  std::size_t most_records = 1'000'000;  // of about 100 bytes; what comes after is counted and not kept
  std::string process = "flowgraph";     // how traces name this process
  std::string machine = {};              // and where it runs; empty: as the system calls it
};

// A process that was traced, or a task of a cluster. Its times are those of a steady clock of its own.
struct traced_process {
  static constexpr std::uint32_t none = 0xffffffffu;

  std::string name, machine;
  std::uint64_t number = 0;      // the system's
  std::int64_t wall_offset = 0;  // nanoseconds to add to a time, for nanoseconds since 1970
  // Of a task that runs parts for a session: the process of the session, by whose steps its records are counted; else none.
  std::uint32_t asked_by = none;
  // Of such a task: how far its clock was ahead of the asking process' clock, in nanoseconds, and by how much that may be wrong.
  std::int64_t clock_offset = 0, clock_error = 0;
};

// A thread that ran something.
struct traced_thread {
  std::uint32_t process = 0;
  std::uint32_t number = 0;         // counted in its process, by when they were first seen
  std::uint64_t system_number = 0;  // 0 where the system has none
};

// A node as one plan has it.
struct traced_node {
  std::string name, op, device;
  std::uint32_t plan = 0;  // counted in the trace
  bool is_transfer = false;
  std::vector<std::uint32_t> readers = {};  // nodes that wait for it
  std::string inputs = {};                  // what it reads, "x, w:1"; of a node that receives the tensor
};

// A record of a trace. Times are nanoseconds of the process' clock.
struct trace_event {
  static constexpr std::uint32_t none = 0xffffffffu;

  trace_kind kind = trace_kind::nothing;
  std::uint32_t thread = 0;   // in collected_trace::threads
  std::uint32_t node = none;  // in collected_trace::nodes
  std::uint32_t step = 0;     // counted per process from 1; 0: outside of runs
  std::uint32_t loop = none;  // in collected_trace::texts; none: outside of loops
  // There: what was waited for; of what is sent and received the task at the other end; of a kernel its outputs, "float[2,3], int32[]".
  std::uint32_t text = none;
  std::uint32_t edge = none;    // of what is sent and received: the same at both ends
  std::uint64_t iteration = 0;  // in its loop
  std::uint64_t key = 0;        // of the iteration in its step; of memory the address
  std::int64_t ready = 0;       // since when it could have run, or has waited for what it received; 0: not known
  std::int64_t start = 0, end = 0;
  std::uint64_t bytes = 0;             // of its outputs, or of the memory or the copy
  std::uint64_t switches[2] = {0, 0};  // of a thread in a step: those it asked for by waiting, and others

  // How long it took.
  std::int64_t duration() const noexcept { return end - start; }
  // How long it had been ready before; 0 where that is not known.
  std::int64_t delay() const noexcept { return ready > 0 && ready < start ? start - ready : 0; }
};

// What recorders have kept, by the time at which it began.
struct collected_trace {
  std::vector<traced_process> processes = {};
  std::vector<traced_thread> threads = {};
  std::vector<traced_node> nodes = {};
  std::vector<trace_event> events = {};
  std::vector<std::string> texts = {};
  std::uint64_t dropped = 0;  // records for which there was no room

  // Puts the trace of another process, or of another machine, on the same timeline: by the wall clocks of both.
  void add(const collected_trace& other);
  // Nanoseconds since 1970.
  std::int64_t wall_time(const trace_event& e, std::int64_t time) const {
    return time + processes[threads[e.thread].process].wall_offset;
  }
};

// Keeps what it is told. Runs of several threads at once may tell it; it outlives the runs, and tensors may outlive it.
class trace_recorder final : public run_tracer {
public:
  explicit trace_recorder(trace_options options = {});
  FLOWGRAPH_INLINE ~trace_recorder() override;
  trace_recorder(const trace_recorder&) = delete;
  trace_recorder& operator=(const trace_recorder&) = delete;

  // A copy of what was kept so far. Runs in progress may be half in it.
  collected_trace collect() const;
  // Forgets what was kept. Runs in progress tell what is forgotten, too.
  void clear();
  // collect(), as a file of to_chrome_trace().
  result<void> write_chrome_trace(const std::string& path) const;

private:
  FLOWGRAPH_INLINE std::unique_ptr<detail::run_trace> begin() override;

  trace_options options_;
  traced_process process_;
  mutable threading::mutex mutex_;
  std::shared_ptr<detail::trace_log> log_;
};

// As JSON in the trace event format of Chrome, which Perfetto reads as well. Times count from `zero`, in nanoseconds since 1970; 0: from
// the first record. Files that are to be joined need the same.
std::string to_chrome_trace(const collected_trace& t, std::int64_t zero = 0);

// Is given traces, one after another or several at a time.
using trace_listener = std::function<void(const collected_trace&)>;

// Writes each trace that it is given, and its tables, as files of the folder, for task_options::on_trace: "job_worker_task_1.7.trace.json" and
// "job_worker_task_1.7.tables.txt" are of the 7th. After `most` of them, and where a file cannot be written, it is left out. An error: there is
// no such folder.
result<trace_listener> trace_files(const std::string& folder, std::size_t most = 1000);

namespace detail {
traced_process this_process(const trace_options& options);
// The records of a log, as those of one process.
collected_trace collect_log(const traced_process& of, const trace_log& log);
// The process itself, or who has asked it.
inline std::uint32_t asking_process(const collected_trace& t, std::uint32_t process) {
  const std::uint32_t by = t.processes[process].asked_by;
  return by == traced_process::none ? process : by;
}
}  // namespace detail

// ---- tables

// What calls took, summed.
struct trace_sum {
  std::string name;
  std::uint64_t calls = 0;
  std::int64_t nanoseconds = 0;  // of kernels; what they waited for is not in it
  std::int64_t delay = 0;        // between ready and running
  std::uint64_t bytes = 0;       // of outputs
};
// By the ops of the nodes; the longest first.
std::vector<trace_sum> time_by_op(const collected_trace& t);
// By the names of the nodes; the longest first.
std::vector<trace_sum> time_by_node(const collected_trace& t);
// By scope, the longest first: the sum of all nodes below it. "" is that of all.
std::vector<trace_sum> time_by_scope(const collected_trace& t);

// What the memory of sessions held at a moment, by the nodes that had taken it.
struct trace_memory {
  struct holder {
    std::string name;  // of the node; "": none
    std::uint64_t bytes = 0;
  };
  std::uint64_t peak = 0;  // bytes
  std::uint32_t step = 0;  // in which it was reached
  std::vector<holder> holders = {};
};
// When they held most.
trace_memory peak_memory(const collected_trace& t);

// A node on the way through a step. In a loop it counts with all its iterations.
struct path_node {
  std::string name, op;
  std::int64_t nanoseconds = 0;
};
// The longest way through the graph of a step by the times that were measured: with threads enough it would still have taken so long.
// Tasks that the process has asked are part of it, and what it takes to send values; how long values are on their way is not.
std::vector<path_node> critical_path(const collected_trace& t, std::uint32_t step, std::uint32_t process = 0);

// All of these as text; of nodes, scopes and holders the `most` first. The path is that of the last step.
std::string tables(const collected_trace& t, std::size_t most = 20);

// The calls of kernels as plain data, for event_writer::add_run and other tools. Of all steps, or of one; in the order in which they began.
std::vector<node_call> node_calls(const collected_trace& t, std::uint32_t step = 0);

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/observe/impl/chrome_trace.hpp>
#include <flowgraph/observe/impl/trace.hpp>
#include <flowgraph/observe/impl/trace_collector.hpp>
#include <flowgraph/observe/impl/trace_tables.hpp>
#endif
