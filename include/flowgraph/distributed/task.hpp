#pragma once
// A task of a cluster: it runs parts of graphs for clients, holds their state, and is the master of the clients that connect to
// it.
//
//     fg::registry ops;
//     fg::add_standard_ops(ops);
//     fg::task here(network, all, "worker", 0, ops);
//
// It runs on the threads of its transport. Over TCP, use fg::tcp::server.

#include <flowgraph/distributed/cluster.hpp>
#include <flowgraph/distributed/traffic.hpp>
#include <flowgraph/distributed/transport.hpp>
#include <flowgraph/distributed/waiting_for.hpp>
#include <flowgraph/runtime/options.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <memory_resource>

namespace flowgraph::inline FLOWGRAPH_ABI {

class registry;
struct collected_trace;

namespace distributed {
class part_trace;
struct task_state;
}  // namespace distributed

// A function that records parts of steps which clients trace.
using task_recorder = std::shared_ptr<distributed::part_trace> (*)(const cluster& all, std::uint32_t task, std::uint64_t step,
                                                                   const std::function<void(const collected_trace&)>& listener);
// Records parts as trace_recorder does, with at most 65,536 records per part: for task_options::record. Only programs that name
// this function link it.
std::shared_ptr<distributed::part_trace> record_parts(const cluster& all, std::uint32_t task, std::uint64_t step,
                                                      const std::function<void(const collected_trace&)>& listener);

// Limits of the state that peers can store at a task. A request beyond them is refused with error_code::resource_exhausted, and
// existing sessions continue.
struct task_limits {
  std::size_t sessions = 4096;  // number of sessions whose master it is, and number of sessions whose parts it runs
  std::size_t parts = 1 << 14;  // number of parts per session, and number of runs that its client has prepared
  // Number of edges between tasks, for all parts of a session together; each part counts all edges of its plan.
  std::size_t edges = 1 << 22;
};

// Address, authentication and limits of a task.
struct task_options {
  std::string listen = {};                      // address to listen at; empty: the task's address in the cluster
  std::string token = {};                       // secret token that clients and other tasks need
  std::pmr::memory_resource* memory = nullptr;  // memory of all tensors; must outlive the task; null: the heap, with a cache
  task_limits limits = {};                      // limits on the state that peers can store
  // Passes that this task runs over its part of each plan, after the passes of the master: those that change no results and need
  // no other part, such as fg::passes::group_elementwise.
  further_passes further = {};
  // Time without a message after which a client or another task is considered lost; at least two seconds. Increase it if
  // you stop the process in a debugger. Use the same value for all tasks of a cluster and in connect_options.
  std::chrono::nanoseconds silence = std::chrono::milliseconds(2500);
  // Records the parts of steps that clients trace: fg::record_parts, which flowgraph-worker uses. Null: clients get no records of
  // this task.
  task_recorder record = nullptr;
  // Called with the records of a step before they are sent to the client, with times of the task's own clock; trace_files of
  // observe/trace.hpp writes them to files. Called by threads of the transport, several at a time.
  std::function<void(const collected_trace&)> on_trace = {};
  // Called for each task that this task must connect to and that is not reachable after a second. Called by threads of the
  // transport.
  waiting_listener on_waiting = {};
  // Called when the connection to a client or task is lost. The error names the process and the reason. Called by threads of the
  // transport, several at a time; it must return soon. Not called when the task itself ends.
  std::function<void(const error&)> on_lost = {};
  // Called for each connection that was refused or closed before the peer was authenticated. The error contains its address and
  // the reason. An attacker can cause many calls, so limit what you log. Called by threads of the transport, several at a time;
  // it must return soon. Not called when the task itself ends.
  std::function<void(const error&)> on_refused = {};
};

// A task of a cluster, which runs until the object is destroyed. Its functions may be called from any thread.
class task {
public:
  // Creates a task, which listens immediately. Other tasks of the cluster may start later. `ops` must outlive the task.
  static result<std::unique_ptr<task>> make(std::shared_ptr<transport> by, const cluster& all, std::string_view job,
                                            std::uint32_t index, const registry& ops, const task_options& options = {});
  // Ends all runs and waits for them; for a kernel that does not return, it waits at most a minute.
  ~task();
  task(const task&) = delete;

  // Returns "/job:worker/task:0".
  const std::string& name() const noexcept;
  // Returns the address at which the task listens.
  const std::string& address() const noexcept;
  // Returns the number of sessions whose master it is; 0 when no client is connected.
  std::size_t sessions() const;
  // Returns the number of parts, runs and values that it holds for masters; 0 when no client is connected.
  std::size_t kept() const;
  // Returns the numbers of frames and bytes exchanged with each peer, and the number of steps that it has begun as master.
  task_traffic traffic() const;

private:
  explicit task(std::shared_ptr<distributed::task_state> result) noexcept : state_(std::move(result)) {}
  std::shared_ptr<distributed::task_state> state_;
};

}  // namespace flowgraph
