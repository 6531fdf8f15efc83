#pragma once
// Where the runs of a session stop while it is at rest.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/fwd.hpp>

#include <atomic>
#include <cstdint>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// The thread that has paused the session passes.
class session_gate {
public:
  // Nobody may begin; runs that have begun go on. An error: why `options` end the wait for another who pauses the session.
  error shut(const run_options& options);
  // Nobody goes on either, or, false, they do again.
  void hold(bool all);
  void open();

  // A run stands here before it begins. An error: why it may not.
  error pass(const run_options* options);
  // A run that has slept stands here before it goes on.
  void stay_while_held() {
    if (is_held_.load(std::memory_order_acquire)) [[unlikely]]
      stay();
  }
  // So many runs stand before their beginning.
  std::uint32_t standing() const;

private:
  void stay();
  bool is_foreign() const { return owner_ != threading::thread::id() && owner_ != threading::this_thread::get_id(); }

  std::atomic<bool> is_held_{false};
  mutable threading::mutex mutex_;  // guards what follows
  threading::condition_variable moved_;
  threading::thread::id owner_;
  std::uint32_t standing_ = 0;
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/pause/impl/session_gate.hpp>
#endif
