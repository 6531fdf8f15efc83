#pragma once

#include <flowgraph/runtime/interruption_checks.hpp>
#include <flowgraph/runtime/queue/mailbox.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE bool mailbox::sleep(const steady_time& deadline, function_ref<plan_runner::resting()> state,
                                     function_ref<bool()> have_come, function_ref<bool()> help) {
  threading::unique_lock lock(guard_);
  rests_ = state();
  const auto woken = [&] { return is_woken_ || have_come(); };
  while (!woken() && !(deadline.is_set() && deadline.has_passed())) {
    lock.unlock();
    const bool has_helped = help();
    lock.lock();
    if (!has_helped) break;
  }
  if (deadline.is_set()) wake_.wait_until(lock, time_of(deadline), woken);
  else wake_.wait(lock, woken);
#ifdef FLOWGRAPH_NO_THREADS
  const bool can_end = deadline.is_set() || woken();
#else
  constexpr bool can_end = true;
#endif
  is_woken_ = false;
  return can_end;
}

}  // namespace flowgraph::detail
