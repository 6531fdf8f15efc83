#pragma once
// A task of a cluster: it runs parts of what others ask for, holds their state, and is the master of the clients that connect to it.
//
//     fg::registry ops;
//     fg::add_standard_ops(ops);
//     fg::task here(network, all, "worker", 0, ops);
//
// Works by itself on the threads of its transport. Over TCP, fg::tcp::server has one.

#include <flowgraph/distributed/cluster.hpp>
#include <flowgraph/distributed/traffic.hpp>
#include <flowgraph/distributed/transport.hpp>
#include <flowgraph/distributed/waiting_for.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <memory_resource>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

class registry;
struct collected_trace;

namespace distributed {
class part_trace;
struct task_state;
}  // namespace distributed

// Records parts of steps that clients trace.
using task_recorder = std::shared_ptr<distributed::part_trace> (*)(const cluster& all, std::uint32_t task, std::uint64_t step,
                                                                   const std::function<void(const collected_trace&)>& told);
// Records them as a trace_recorder does, 65,536 records of each part at most: task_options::record. What programs do not name they do not link.
std::shared_ptr<distributed::part_trace> record_parts(const cluster& all, std::uint32_t task, std::uint64_t step,
                                                      const std::function<void(const collected_trace&)>& told);

// What peers may have a task keep. What is beyond is refused with error_code::resource_exhausted, and what there is goes on.
struct task_limits {
  std::size_t sessions = 4096;  // that it is the master of, and as many that it has parts of
  std::size_t parts = 1 << 14;  // of each session, and as many runs that its client has prepared
  std::size_t edges = 1 << 22;  // between tasks: of all parts of a session together, each counting those of its whole plan
};

// Where a task listens, whom it believes, and what it may take.
struct task_options {
  std::string listen = {};                      // empty: the address that the cluster has of the task
  std::string token = {};                       // what clients and other tasks have to know
  std::pmr::memory_resource* memory = nullptr;  // of all tensors; null: the heap, with what it keeps; outlives the task
  task_limits limits = {};                      // of what peers may have it keep
  // So long a client or another task may be silent until it is taken for dead: two seconds at least. Longer where a process is stopped by a
  // debugger. Give it to every task of a cluster, and to connect_options.
  std::chrono::nanoseconds silence = std::chrono::milliseconds(2500);
  // fg::record_parts, as flowgraph-worker has it: clients that trace their steps have what this task does of them. Null: they have not.
  task_recorder record = nullptr;
  // Hears of what it has recorded, before the client does, by the task's own clock: trace_files, of observe/trace.hpp, writes it. Called by
  // threads of the transport, several at a time.
  std::function<void(const collected_trace&)> on_trace = {};
  // Hears of other tasks that it has to connect to and that are not there after a second. Called by threads of the transport.
  waiting_listener on_waiting = {};
  // Hears of clients and tasks whose connection with this one is lost: the error names the process, and says why. Called by threads of the
  // transport, several at a time; returns soon. Not called once the task ends.
  std::function<void(const error&)> on_lost = {};
  // Hears of each connection that was refused, or given up, before the other end had proved who it is: the error names its address, and
  // says why. A stranger can make many: whoever writes them down limits how many. Called by threads of the transport, several at a time;
  // returns soon. Not called once the task ends.
  std::function<void(const error&)> on_refused = {};
};

// One task of a cluster, from when it is made until it is destroyed. From any thread.
class task {
public:
  // Listens from now on. The cluster's other tasks are there, or not yet. The ops outlive it.
  static result<std::unique_ptr<task>> make(std::shared_ptr<transport> by, const cluster& all, std::string_view job,
                                            std::uint32_t index, const registry& ops, const task_options& options = {});
  // Ends all that runs, and returns when it has; after a minute also where a kernel has not.
  ~task();
  task(const task&) = delete;

  // "/job:worker/task:0".
  const std::string& name() const noexcept;
  // Where it listens.
  const std::string& address() const noexcept;
  // How many sessions it is the master of: 0 once no client is there.
  std::size_t sessions() const;
  // How many parts, runs and values it keeps for masters: 0 once no client is there.
  std::size_t kept() const;
  // Frames and bytes between it and each of its peers, and the number of steps of which it was the master.
  task_traffic traffic() const;

private:
  explicit task(std::shared_ptr<distributed::task_state> made) noexcept : state_(std::move(made)) {}
  std::shared_ptr<distributed::task_state> state_;
};

}
}  // namespace flowgraph
