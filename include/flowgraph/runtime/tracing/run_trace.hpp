#pragma once
// The functions by which runs report events if they are traced. All are virtual, so that programs without a trace_recorder link
// none of their implementations.

#include <flowgraph/core/threads.hpp>
#include <flowgraph/fwd.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/op/kernel_trace.hpp>
#include <flowgraph/runtime/options.hpp>

#include <memory>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The event that a record of a trace describes.
enum class trace_kind : std::uint8_t {
  kernel,      // the kernel of a node
  loop,        // a whole loop, with its kernels
  later,       // an asynchronous kernel, from its start to its completion
  waiting,     // an asynchronous kernel waited at a resource, for example at a queue
  block,       // a block of a kernel's loop, on any thread
  copy,        // a fetched value was copied for the caller
  send,        // a value was sent to another part of the run
  receive,     // a value was received from another part of the run
  allocation,  // a kernel allocated memory of the session
  release,     // memory was freed
  step,        // a run, from its beginning to its end
  helper,      // a thread of the pool that helped with a run
  nothing      // no event
};

namespace detail {

class executor;
class schedule;
struct call_frame;
struct iteration;
struct plan;
struct plan_record;

// When an asynchronous call became ready, and when it began.
struct call_times {
  std::int64_t ready = 0, start = 0;
};

// Receives the events of one executor. While it exists, kernels of the executor find the trace in their services.
class executor_trace {
public:
  virtual ~executor_trace() = default;
  // Drives the executor as its own `pump` does.
  virtual void pump(executor& e, bool owner, threading::unique_lock<threading::mutex>& baton) = 0;
  // Runs a kernel that the calling thread has just taken. Returns false if it failed.
  virtual bool invoke(call_frame& f, const plan_record& r, const iteration& at) = 0;
  // Called when the calling thread starts an asynchronous kernel that it has just taken, and when that kernel has completed.
  virtual call_times begin_async() = 0;
  virtual void answered(const plan_record& r, const iteration& at, const call_times& times) = 0;
  // Called when the calling thread begins to send the value of a record that it has just taken.
  virtual call_times begin_send() = 0;
  // Called when a value was sent to another part of the run over the edge with this number, or received from it.
  virtual void sent(const plan_record& r, const iteration& at, std::uint32_t edge, std::size_t bytes,
                    const call_times& times) = 0;
  virtual void received(const plan_record& r, const iteration& at, std::uint32_t edge, std::size_t bytes) = 0;
};

// The trace of one run. Any thread of the run may use it.
class run_trace : public run_tracer, public kernel_trace {
public:
  // Called when an executor takes part. `services` are those of the executor, and must outlive the result.
  virtual std::unique_ptr<executor_trace> join(const plan& p, run_services& services) = 0;
  // Called when a schedule begins and ends to take part.
  virtual void attach(run_services& services) = 0;
  virtual void detach(run_services& services) = 0;
  // Executes entries as schedule::walk does.
  virtual bool walk(schedule& s, std::size_t first, std::size_t last, const run_options& options) = 0;
  // Adds the records of the run's part in another process. They contain only that process, with times of its own clock. `records`
  // is their number.
  virtual void add(std::shared_ptr<const collected_trace> elsewhere, std::size_t records) { (void)elsewhere, (void)records; }

private:
  std::unique_ptr<run_trace> begin() final { return nullptr; }
  run_trace* of_run() noexcept final { return this; }
};

// A run from its beginning to its end, with the options for all its parts.
class traced_run {
public:
  explicit traced_run(const run_options& given) : given_(&given) {
    if (given.trace) [[unlikely]]
      begin();
  }
  traced_run(traced_run&&) noexcept = default;
  traced_run& operator=(traced_run&&) noexcept = default;

  const run_options& options() const noexcept { return own_ ? *own_ : *given_; }

  // Returns the trace of the run with these options, or null.
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

}  // namespace flowgraph
