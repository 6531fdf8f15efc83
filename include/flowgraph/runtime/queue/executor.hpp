#pragma once
// Runs a plan, on the caller's thread and the threads of the pool. A node becomes ready when it has nothing left to wait for.
//
// One thread at a time decides which nodes are ready: it holds the baton. It runs cheap kernels while it holds the baton, and
// passes the baton on before it runs an expensive kernel. In this way expensive kernels overlap, and cheap kernels cost no atomic
// operation and no wake-up.

#include <flowgraph/core/function.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/variable_set.hpp>
#include <flowgraph/runtime/queue/async_calls.hpp>
#include <flowgraph/runtime/queue/call.hpp>
#include <flowgraph/runtime/queue/flow_runner.hpp>
#include <flowgraph/runtime/queue/mailbox.hpp>
#include <flowgraph/runtime/queue/plan_runner.hpp>
#include <flowgraph/runtime/queue/ready_queue.hpp>
#include <flowgraph/runtime/interruption_checks.hpp>
#include <flowgraph/runtime/tracing/run_trace.hpp>

#include <optional>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class executor_recording;
class run_parts;
class trace_lane;
struct waiting_record;

// The state of one run of one plan by the calling thread and the threads that help it.
class executor final : public plan_runner, public std::enable_shared_from_this<executor> {
public:
  executor(std::shared_ptr<const plan> p, const run_services& services);

  std::span<random_ordinal> ordinals() noexcept override { return ordinals_; }
  FLOWGRAPH_INLINE void start(const run_options& options, bool in_pieces) override;
  FLOWGRAPH_INLINE void feed(std::size_t index, const any_tensor& value) override;
  error drive() override { return finish_devices(run_to_end()); }
  // Calls device_services::finish. For a part of a run, it is called when no part has anything left to run.
  error finish_devices(error why) const { return devices_.finish(std::move(why)); }
  FLOWGRAPH_INLINE result<any_tensor> take(std::size_t fetch) override;
  FLOWGRAPH_INLINE error missing(std::size_t fetch) const override;
  // Returns whether the result of the fetch is known: there is a value, or there will never be one.
  bool is_known(std::size_t fetch) const;
  FLOWGRAPH_INLINE void end(bool complete) override;
  FLOWGRAPH_INLINE void cancel(const error& why) override;
  FLOWGRAPH_INLINE void close() override;
  FLOWGRAPH_INLINE resting rests() override;

  // Like drive(), but only on this thread, and measures the time of each synchronous kernel. `heard` is called first for each feed,
  // with a time of 0, and then for each kernel, when its outputs are in their slots. Linked only by code that names it.
  using call_listener = function_ref<void(const plan_record& r, const iteration& at, std::uint64_t nanoseconds)>;
  error drive_measured(call_listener heard);
  const plan& planned() const noexcept { return *plan_; }
  // Like pump(), but traces each record that runs, on any thread. Linked only by code that names it.
  void pump_traced(executor_recording& to, bool owner, threading::unique_lock<threading::mutex>& baton);

  // Makes the executor a part of a run (runtime/parts/driver.hpp), which drives it in turn with the other parts. `edges`: for each
  // record that sends or receives, the number of its edge; must live until leave(). `shared`: the pins and the resources of the
  // whole run; null: the executor uses its own.
  void join(run_parts& all, std::span<const std::uint32_t> edges, const run_services* shared);
  void leave();
  // Runs the records that are ready. Returns the number of kernels that are still running then.
  std::uint32_t take_turn(bool is_last);
  // Like rests(), for the state after a turn. No other thread may drive the executor meanwhile.
  resting only_waits();
  void stay_while_held();
  // Returns whether other parts or threads have news for the executor.
  bool has_news() const { return mail_.has_news(); }
  // Accepts a value that another part has sent for a record that waits for it.
  void arrive(const waiting_record& at, bool dead, edge_value&& value);
  // Makes the executor check for news of the other parts when it is driven next.
  void look_up(bool to_stop);
  // Called within drain(): passes the values that have arrived to their consumers.
  void take_arrivals(const error& failed_elsewhere);

private:
  friend class queue_flow_runner;
  friend class exchange_runner;
  friend std::shared_ptr<plan_runner> make_answering_executor(std::shared_ptr<const plan> p, const run_services& services);
  class own_async_calls;  // impl/async_calls.hpp

  struct on_stop {
    executor* e;
    void operator()() const {
      e->mail_.is_stopping.store(true, std::memory_order_relaxed);
      e->notify();
    }
  };
  using ready_record = ready_queue::item;

  // impl/executor.hpp
  void place(std::size_t index, const any_tensor& value);
  FLOWGRAPH_COLD void fail(const error& why);
  void summon();
  void drain();
  void take(threading::unique_lock<threading::mutex>& baton);
  // Called with the baton after work without it. If the end of the run was requested meanwhile, the next record is not started.
  void rejoin() {
    --apart_.running;
    if (run_.asked) mail_.announce();
  }
  void wait(threading::unique_lock<threading::mutex>& baton);
  resting state_at_rest(std::uint32_t out) const;  // called with the guard of the mailbox held
  bool have_come() const { return async_ && async_->have_come(); }
  void notify();
  void cancel_outstanding();
  FLOWGRAPH_COLD error while_waiting(const error& why);
  void stop_if_asked();
  bool has_ended_before(const ready_record& r);
  FLOWGRAPH_COLD void stop(const error& why);
  FLOWGRAPH_COLD error failure_of(const error& why, const ready_record& r) const;
  void run_apart(const ready_record& r, threading::unique_lock<threading::mutex>& baton);
  std::unique_ptr<call_frame> take_frame();
  FLOWGRAPH_COLD error named(const error& why, const plan_record& r, const iteration& at) const {
    return name_failure(*plan_, why, *r.site, at);
  }

  // impl/executor.hpp
  error run_to_end();

  // impl/driving.hpp, detail/pump.hpp
  error walk();
  void go_on(bool owner, threading::unique_lock<threading::mutex>& baton) {
    if (run_.trace) [[unlikely]]
      return run_.trace->pump(*this, owner, baton);
    pump(owner, baton);
  }
  void pump(bool owner, threading::unique_lock<threading::mutex>& baton);
  // The treatment of each record in a run: plain, with a clock (impl/measured_driving.hpp), or with a trace
  // (tracing/impl/traced_driving.hpp).
  struct plain_hook;
  struct clock_hook;
  struct trace_hook;
  template <class Hook> void pump_with(Hook hook, bool owner, threading::unique_lock<threading::mutex>& baton);
  bool is_expensive(const ready_record& r) const;
  void run_here(const ready_record& r);
  void run_simple(const plan_record& record, iteration& at, progress& waits);
  bool execute(const plan_record& record, iteration& at);
  bool bind(const plan_record& record, iteration& at);
  void set_call(call_frame& f, const plan_record& r, const iteration& at) const;

  // impl/propagation.hpp
  void become_ready(std::uint32_t record, iteration& at);
  void complete(const ready_record& r);
  void release_inputs(const plan_record& r, iteration& at) const;
  template <bool AllLive = false> void propagate(const plan_record& r, iteration& to, bool dead);

  std::shared_ptr<const plan> plan_;
  run_services services_;
  device_services devices_;
  set_pins pins_;
  std::optional<container> own_resources_;  // set if the plan has ops that need it
  sequence<random_ordinal> ordinals_;
  sequence<binding> bindings_;
  frame_pool frames_;
  iteration* root_ = nullptr;
  ready_queue ready_;
  call_frame own_;                      // frame of the driving thread
  std::unique_ptr<flow_runner> flow_;   // null: the plan has no control flow
  std::unique_ptr<async_calls> async_;  // null: no kernel of the plan is asynchronous or offloaded

  struct run_in_progress {
    std::uint64_t number = 0;  // a helper that starts after the end of its run finds another number
    const run_options* options = nullptr;
    std::unique_ptr<executor_trace> trace;  // null: it is not traced
    error failure;
    error asked;  // why the running kernels were requested to end
    bool sources_started = false;
    bool by_iteration = false;
    bool is_straight = false;  // runs the records in order without counting
  };
  run_in_progress run_;

  // The run of several parts that the executor takes part in, between join() and leave().
  struct membership {
    run_parts* all = nullptr;              // null: the executor runs a whole plan
    const std::uint32_t* edges = nullptr;  // the edges passed to join()
    sequence<arrived_value> landing;       // arrivals that the driving thread has taken
    std::uint32_t left_running = 0;        // number of kernels that ran without the baton after the last turn
  };
  membership part_;

  // Work that runs without the baton.
  struct work_apart {
    std::uint32_t running = 0;  // number of kernels that run without the baton, or asynchronously
    std::uint32_t helpers = 0;  // number of threads that were requested for this run and have not ended
    bool owner_sleeps = false;
    sequence<std::unique_ptr<call_frame>> frames;  // unused frames for such kernels
  };
  work_apart apart_;

  threading::mutex baton_;
  alignas(64) mailbox mail_;
};

// Returns the function that creates a runner for a plan by the ready queue: by default, an executor.
inline runner_function runner_of(const plan& p) { return p.runner ? p.runner : &make_executor; }

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/queue/impl/async_calls.hpp>
#include <flowgraph/runtime/queue/impl/driving.hpp>
#include <flowgraph/runtime/queue/impl/executor.hpp>
#include <flowgraph/runtime/queue/impl/measured_driving.hpp>
#endif
