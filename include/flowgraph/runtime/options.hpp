#pragma once
// Options of a session and of a single run.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/tensor.hpp>
#include <flowgraph/fwd.hpp>
#include <flowgraph/op/container.hpp>
#include <flowgraph/op/runner.hpp>
#include <flowgraph/passes/options.hpp>
#include <flowgraph/runtime/cut.hpp>
#include <flowgraph/runtime/interruption.hpp>
#include <flowgraph/runtime/session_devices.hpp>
#include <flowgraph/runtime/session_target.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {
class executor;
class run_trace;
class traced_run;
struct step_state;
}  // namespace detail

// Executes the runs that it observes: the base class of `measurements` (placement/measurements.hpp).
class run_observer {
public:
  virtual ~run_observer() = default;

private:
  friend class detail::executor;
  virtual error drive(detail::executor& e) = 0;
};

// Receives notifications when runs begin and end: the base class of `trace_recorder` (observe/trace.hpp).
class run_tracer {
public:
  virtual ~run_tracer() = default;

private:
  friend class detail::traced_run;
  // Called when a run begins, from any thread. Returns the object that is notified of this run's events.
  virtual std::unique_ptr<detail::run_trace> begin() = 0;
  virtual detail::run_trace* of_run() noexcept { return nullptr; }
};

// Specifies whether all runs of a session, including prepared steps, use the ready queue. A bool converts to it. A program that
// sets it links the queue for prepared steps; other programs link it only if they call session::run or use an op that no schedule
// can run.
class dynamic_runs {
public:
  constexpr dynamic_runs() = default;
  template <std::same_as<bool> Bool> constexpr dynamic_runs(Bool are) : are_(are), runner_(detail::ready_queue_runner) {}
  constexpr operator bool() const noexcept { return are_; }

private:
  friend struct detail::step_state;
  bool are_ = false;
  detail::runner_function runner_ = nullptr;
};

// Options of a session.
struct session_options {
  thread_pool* pool = nullptr;  // threads for kernels; must outlive the session. Null: only the calling thread
  // Container of variables and other state, which can be shared; must outlive the session. Null: the session has its own.
  container* resources = nullptr;
  // Source of memory; must outlive every tensor that the session creates. Null: the heap. The session then keeps large blocks for
  // later runs (session::free_idle_memory).
  std::pmr::memory_resource* memory = nullptr;
  // Maximum total size in bytes of the tensors alive at any time; 0: no limit. A run that exceeds it ends with an error.
  std::size_t memory_limit = 0;
  // Number of sets of feed shapes for which a prepared step keeps its layout and memory, at least 1; the latest sets are kept. A
  // step whose feeds have more different shapes allocates when an earlier shape returns.
  std::size_t kept_layouts = 8;
  // Devices that may run nodes. If none is a CPU, the session adds its own. The list is copied; the devices must outlive the
  // session.
  session_devices devices = {};
  bool soft_placement = false;  // true: a node that requires a device kind or number that does not exist runs on another device
  // Chooses the device of nodes that may run on several devices, such as cost_placement (placement/cost_placement.hpp); must
  // outlive the session. Null: the first of these devices.
  placement_policy* placement = nullptr;
  placement_policy* place = nullptr;  // the old name of `placement`, for one release
  cutting cut = {};                   // fg::per_device: each device has its own executor; default: all devices are in one plan
  dynamic_runs dynamic = {};   // true: always use the ready queue, and infer shapes node by node; for measuring and debugging
  pass_options passes = {};    // the passes that change a plan before it runs; each pass has a switch
  session_target target = {};  // the processes that run the graph; default: this process
};

// Options of one run, for example a stop token or a deadline that ends it early: s.run(y, {}, {.stop = source.get_token()}),
// s.run(y, {}, fg::run_options::within(5ms)).
struct run_options {
  stop_signal stop = {};
  steady_time deadline = {};
  run_observer* measure = nullptr;  // records the duration of each node; must outlive the run
  // False: a node that would have to wait for another run, for example at a queue, ends the run immediately. The error has
  // the code `unavailable` and names the resource, which the node has not changed.
  bool may_wait = true;
  run_tracer* trace = nullptr;  // a trace_recorder, which records the time and the thread of each event; must outlive the run

  // Returns options with a deadline that is `time`, a std::chrono::duration, from now.
  template <class Duration> static run_options within(const Duration& time) {
    return {.stop = {}, .deadline = steady_time::after(time), .measure = nullptr, .may_wait = true, .trace = nullptr};
  }
};

namespace detail {

// Whether the run reports on single nodes, so that its plan needs all of them.
inline bool shows_nodes(const run_options& options) noexcept { return options.measure || options.trace; }

}  // namespace detail

// Options of session::close: s.close(), s.close(fg::close_options::within(1s)).
struct close_options {
  bool wait = false;          // true: runs in progress may complete; false: waiting runs are ended at once
  steady_time deadline = {};  // end of the wait; runs still in progress then are ended

  // Returns options that wait at most for `time`, a std::chrono::duration.
  template <class Duration> static close_options within(const Duration& time) {
    return {.wait = true, .deadline = steady_time::after(time)};
  }
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/device_rules.hpp>
#endif
