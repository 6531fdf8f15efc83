#pragma once
// Stops the runs of a session while it is paused.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/fwd.hpp>

#include <atomic>
#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Runs of the thread that has paused the session are not stopped.
class session_gate {
public:
  // Stops new runs; runs that have begun continue. Returns an error if `options` ended the wait for another thread that pauses
  // the session.
  error shut(const run_options& options);
  // True: also stops runs that have begun. False: lets them continue.
  void hold(bool all);
  void open();

  // Called by a run before it begins. Returns an error if it may not begin.
  error pass(const run_options* options);
  // Called by a run that has waited, before it continues.
  void stay_while_held() {
    if (is_held_.load(std::memory_order_acquire)) [[unlikely]]
      stay();
  }
  // Returns the number of runs that wait to begin.
  std::uint32_t standing() const;

private:
  void stay();
  bool is_foreign() const { return owner_ != threading::thread::id() && owner_ != threading::this_thread::get_id(); }

  std::atomic<bool> is_held_{false};
  mutable threading::mutex mutex_;  // guards the following members
  threading::condition_variable moved_;
  threading::thread::id owner_;
  std::uint32_t standing_ = 0;
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/pause/impl/session_gate.hpp>
#endif
