#pragma once
// The interface that executes the plan of a run: by one executor, or by one executor per part of a cut plan.

#include <flowgraph/core/tensor.hpp>
#include <flowgraph/runtime/call_steps.hpp>
#include <flowgraph/runtime/options.hpp>

#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Executes runs, one after the other. For each run, call start(), feed() in any order, drive() until no work is left, take() for each
// fetch, and end(). Only one thread at a time may use the object, except for the members that state otherwise.
class plan_runner {
public:
  virtual ~plan_runner() = default;

  // The number of this run for each random node of the plan; set before start().
  virtual std::span<random_ordinal> ordinals() noexcept = 0;
  // `options` must outlive the run. `in_pieces`: the run is partial. Feeds may follow a drive(), and a loop starts before all values
  // that enter it have arrived.
  virtual void start(const run_options& options, bool in_pieces) = 0;
  virtual void feed(std::size_t index, const any_tensor& value) = 0;
  // Sets, for a partial run, the fetches that the next drive() must compute. Each fetch is passed once. If other executors take
  // part in the run, drive() waits for these fetches.
  virtual void want(std::span<const std::size_t>) {}
  virtual error drive() = 0;
  virtual result<any_tensor> take(std::size_t fetch) = 0;
  virtual error missing(std::size_t fetch) const = 0;  // the reason if take() fails
  // `complete`: all feeds were fed and all fetches were taken.
  virtual void end(bool complete) = 0;
  // Ends the current run with the error `why`, and prevents later runs. Any thread may call it.
  virtual void cancel(const error& why) = 0;
  // Returns whether the current run only waits for other runs (`no` if it has work). If so, returns how a session that loads the
  // saved state treats the run: it continues the run, or starts the run again because all its work follows the wait. Any thread
  // may call it.
  enum class resting : std::uint8_t { no, to_go_on, to_begin_anew };
  virtual resting rests() = 0;
  // Returns all memory and resources to the session. No run may be active.
  virtual void close() = 0;
};

}  // namespace flowgraph::detail
