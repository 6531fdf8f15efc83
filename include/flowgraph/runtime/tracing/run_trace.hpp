#pragma once
// Whom the ways of running tell what they do, in a run that is traced. All of it is behind virtual functions: a program that names no
// trace_recorder links none of what stands behind them.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/fwd.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/op/kernel_trace.hpp>
#include <flowgraph/runtime/options.hpp>

#include <memory>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// What a record of a trace is about.
enum class trace_kind : std::uint8_t {
  kernel,      // a node's kernel ran
  loop,        // a whole loop ran, with the kernels in it
  later,       // a kernel that answers later: from its start to its answer
  waiting,     // such a kernel waited at a resource, a queue or the like
  block,       // a work item of a kernel, on whatever thread
  copy,        // a fetched value was copied for the caller
  send,        // a value went to another part of the run
  receive,     // it came there
  allocation,  // a kernel took memory of the session
  release,     // memory came back
  step,        // a run, from its beginning to its end
  helper,      // a thread of the pool that helped with a run
  nothing
};

namespace detail {

class executor;
class schedule;
struct call_frame;
struct iteration;
struct plan;
struct plan_record;

// When a call that answers later became ready, and when it began.
struct call_times {
  std::int64_t ready = 0, start = 0;
};

// What one executor tells about its records. While it lives, kernels of the executor find the trace among their services.
class executor_trace {
public:
  virtual ~executor_trace() = default;
  // Drives the executor as its own pump does.
  virtual void pump(executor& e, bool owner, threading::unique_lock<threading::mutex>& baton) = 0;
  // Runs a kernel that the calling thread has just taken; false: it failed.
  virtual bool invoke(call_frame& f, const plan_record& r, const iteration& at) = 0;
  // A kernel that the calling thread has just taken will answer later; and has answered.
  virtual call_times begin_async() = 0;
  virtual void answered(const plan_record& r, const iteration& at, const call_times& times) = 0;
  // The calling thread begins to send the value of a record that it has just taken.
  virtual call_times begin_send() = 0;
  // A value went to another part of the run, over the edge of this number; or has come from there.
  virtual void sent(const plan_record& r, const iteration& at, std::uint32_t edge, std::size_t bytes,
                    const call_times& times) = 0;
  virtual void received(const plan_record& r, const iteration& at, std::uint32_t edge, std::size_t bytes) = 0;
};

// One run. Any thread of the run may use it.
class run_trace : public run_tracer, public kernel_trace {
public:
  // An executor takes part; `services` are its own, and live longer.
  virtual std::unique_ptr<executor_trace> join(const plan& p, run_services& services) = 0;
  // The same for a schedule, from here to there.
  virtual void attach(run_services& services) = 0;
  virtual void detach(run_services& services) = 0;
  // What schedule::walk does.
  virtual bool walk(schedule& s, std::size_t first, std::size_t last, const run_options& options) = 0;
  // Takes the records of another process of its part of this run, so many records: of that process alone, with times of its own clock.
  virtual void add(std::shared_ptr<const collected_trace> elsewhere, std::size_t records) { (void)elsewhere, (void)records; }

private:
  std::unique_ptr<run_trace> begin() final { return nullptr; }
  run_trace* of_run() noexcept final { return this; }
};

// A run from its beginning to its end, with the options that all parts of it are to see.
class traced_run {
public:
  explicit traced_run(const run_options& given) : given_(&given) {
    if (given.trace) [[unlikely]]
      begin();
  }
  traced_run(traced_run&&) noexcept = default;
  traced_run& operator=(traced_run&&) noexcept = default;

  const run_options& options() const noexcept { return own_ ? *own_ : *given_; }

  // Who hears of the run that has these options; null: nobody.
  static run_trace* of(const run_options& options) noexcept { return options.trace ? options.trace->of_run() : nullptr; }

private:
  FLOWGRAPH_COLD void begin() {
    trace_ = given_->trace->begin();
    own_ = std::make_unique<run_options>(*given_);
    own_->trace = trace_.get();
  }

  const run_options* given_;
  std::unique_ptr<run_options> own_;  // with the trace of this run
  std::unique_ptr<run_trace> trace_;
};

}  // namespace detail

}
}  // namespace flowgraph
