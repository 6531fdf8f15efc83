#pragma once
// How a session and a single run behave.

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

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {
class executor;
class run_trace;
class traced_run;
struct step_state;
}  // namespace detail

// Drives runs that it watches: measurements, of placement/measurements.hpp.
class run_observer {
public:
  virtual ~run_observer() = default;

private:
  friend class detail::executor;
  virtual error drive(detail::executor& e) = 0;
};

// Hears of runs from their beginning to their end: trace_recorder, of observe/trace.hpp.
class run_tracer {
public:
  virtual ~run_tracer() = default;

private:
  friend class detail::traced_run;
  // A run begins: who hears of it. Any thread may begin one.
  virtual std::unique_ptr<detail::run_trace> begin() = 0;
  virtual detail::run_trace* of_run() noexcept { return nullptr; }
};

// Whether all runs of a session, prepared steps too, go by the ready queue; made from a bool. A program that sets it links the queue for
// prepared steps; others link it where they call session::run, or use an op that no schedule runs.
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

// What a session runs on.
struct session_options {
  thread_pool* pool = nullptr;                  // null: the calling thread alone; outlives the session
  container* resources = nullptr;               // null: one of the session's own; given, it is shared and outlives the session
  std::pmr::memory_resource* memory = nullptr;  // null: the heap; outlives every tensor that the session makes
  std::size_t memory_limit = 0;                 // bytes of tensors alive at a time, 0: none. Beyond it a run ends in an error
  // For how many sets of shapes of its feeds, the latest ones, a prepared step keeps its layout and memory: a step whose blocks have more
  // sizes allocates when a size comes back. At least 1.
  std::size_t kept_layouts = 8;
  // Where nodes may run; without a CPU among them, besides the session's own. The list is copied, the devices outlive the session.
  session_devices devices = {};
  bool soft_placement = false;  // a node that asks for a kind or a number that is not there runs where it can
  // Chooses where nodes stand that may stand on several devices: cost_placement, of placement/cost_placement.hpp; outlives the
  // session. Null: the first of those devices.
  placement_policy* place = nullptr;
  cutting cut = {};            // fg::per_device: each device has an executor of its own; else all run in one plan
  dynamic_runs dynamic = {};   // true: always the ready queue, with shapes inferred node by node: for measuring and debugging
  pass_options passes = {};    // what is done to a plan before it runs; each pass has a switch
  session_target target = {};  // where it runs; by default in this process
};

// When a run ends before its time: s.run(y, {}, {.stop = source.get_token()}), s.run(y, {}, fg::run_options::within(5ms)).
struct run_options {
  stop_signal stop = {};
  steady_time deadline = {};
  run_observer* measure = nullptr;  // measurements, which outlive the run: keeps how long each node takes
  // False: a node that would wait for another run, at a queue or the like, ends the run at once with an error, `unavailable`, that
  // names what it would wait for. It has then taken and left nothing there.
  bool may_wait = true;
  run_tracer* trace = nullptr;  // a trace_recorder, which outlives the run: keeps what happens when, and where

  // `time`, a std::chrono::duration, counts from now.
  template <class Duration> static run_options within(const Duration& time) {
    return {.stop = {}, .deadline = steady_time::after(time), .measure = nullptr, .may_wait = true, .trace = nullptr};
  }
};

// How a session is closed: s.close(), s.close(fg::close_options::within(1s)).
struct close_options {
  bool wait = false;          // lets runs in progress come to their end; else those that wait are ended at once
  steady_time deadline = {};  // of waiting: what is in progress then is ended

  // Waits for so long at most. `time`, a std::chrono::duration, counts from now.
  template <class Duration> static close_options within(const Duration& time) {
    return {.wait = true, .deadline = steady_time::after(time)};
  }
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/device_rules.hpp>
#endif
