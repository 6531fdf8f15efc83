#pragma once
// The calls of kernels that answer later, of one executor.
//
// An executor has them if a kernel of its plan is asynchronous. The functions come by virtual calls, made by who knows of such a kernel
// (op/runner.hpp): a program without asynchronous ops does not link them.

#include <flowgraph/core/error.hpp>
#include <flowgraph/runtime/plan_runner.hpp>
#include <flowgraph/runtime/ready_queue.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

class async_calls {
public:
  async_calls() = default;
  async_calls(const async_calls&) = delete;
  async_calls& operator=(const async_calls&) = delete;
  virtual ~async_calls() = default;

  // By the thread that drives the executor: starts the kernel of a record; takes the answers that have come.
  virtual void start(const ready_queue::item& r) = 0;
  virtual void take_answers() = 0;
  // Asks all kernels that are out to end.
  virtual void cancel() = 0;
  // Why the run ends, with the node whose kernel it has waited for longest.
  virtual error while_waiting(const error& why) = 0;

  // With the executor's idle_ held: whether answers wait to be taken, and whether all of `out` kernels wait for other runs and have left
  // nothing behind.
  virtual bool have_come() const = 0;
  virtual plan_runner::resting state_at_rest(std::uint32_t out) const = 0;
};

}  // namespace detail

}
}  // namespace flowgraph
