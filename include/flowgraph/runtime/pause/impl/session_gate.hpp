#pragma once

#include <flowgraph/runtime/interruption_checks.hpp>
#include <flowgraph/runtime/pause/session_gate.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Waits on `moved`. If the options may end the wait, wakes every millisecond to check them.
template <class Lock, class Done>
FLOWGRAPH_COLD error wait_for_gate(threading::condition_variable& moved, Lock& lock, const run_options* options, Done&& is_done) {
  while (!is_done()) {
    if (!options || !is_watched(*options)) {
      moved.wait(lock);
      continue;
    }
    if (error why = check_stop(*options)) return why;
    moved.wait_for(lock, std::chrono::milliseconds(1));
  }
  return {};
}

FLOWGRAPH_SELDOM error session_gate::shut(const run_options& options) {
  threading::unique_lock lock(mutex_);
  if (owner_ == threading::this_thread::get_id())
    return error(error_code::failed_precondition, "this thread has paused the session already");
  const auto is_free = [this] { return owner_ == threading::thread::id(); };
  if (error why = wait_for_gate(moved_, lock, &options, is_free)) return why;
  owner_ = threading::this_thread::get_id();
  return {};
}

FLOWGRAPH_SELDOM void session_gate::hold(bool all) {
  threading::lock_guard lock(mutex_);
  is_held_.store(all, std::memory_order_release);
  if (!all) moved_.notify_all();
}

FLOWGRAPH_SELDOM void session_gate::open() {
  threading::lock_guard lock(mutex_);
  is_held_.store(false, std::memory_order_release);
  owner_ = {};
  moved_.notify_all();
}

FLOWGRAPH_SELDOM error session_gate::pass(const run_options* options) {
  threading::unique_lock lock(mutex_);
  ++standing_;
  error why = wait_for_gate(moved_, lock, options, [this] { return !is_foreign(); });
  --standing_;
  return why;
}

FLOWGRAPH_SELDOM void session_gate::stay() {
  threading::unique_lock lock(mutex_);
  moved_.wait(lock, [this] { return !is_held_.load(std::memory_order_relaxed) || !is_foreign(); });
}

FLOWGRAPH_SELDOM std::uint32_t session_gate::standing() const {
  threading::lock_guard lock(mutex_);
  return standing_;
}

}  // namespace flowgraph::detail
