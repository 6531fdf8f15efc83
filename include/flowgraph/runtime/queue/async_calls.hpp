#pragma once
// The calls of asynchronous kernels of one executor.
//
// An executor has this object if its plan contains an asynchronous kernel. The functions are virtual, and only code for such
// kernels refers to them (op/runner.hpp): programs without asynchronous ops do not link them.

#include <flowgraph/core/error.hpp>
#include <flowgraph/runtime/queue/plan_runner.hpp>
#include <flowgraph/runtime/queue/ready_queue.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class async_calls {
public:
  async_calls() = default;
  async_calls(const async_calls&) = delete;
  async_calls& operator=(const async_calls&) = delete;
  virtual ~async_calls() = default;

  // Called by the thread that drives the executor: `start` starts the kernel of a record, and `take_answers` processes the calls
  // that have completed.
  virtual void start(const ready_queue::item& r) = 0;
  virtual void take_answers() = 0;
  // Requests that all running kernels end.
  virtual void cancel() = 0;
  // Returns the error that ends the run, with the node whose kernel has been waited for longest.
  virtual error while_waiting(const error& why) = 0;

  // Called with the guard of the executor's mailbox held: `have_come` returns whether completed calls must be processed, and `state_at_rest`
  // whether `out` kernels all wait for other runs and have changed nothing yet.
  virtual bool have_come() const = 0;
  virtual plan_runner::resting state_at_rest(std::uint32_t out) const = 0;
};

}  // namespace flowgraph::detail
