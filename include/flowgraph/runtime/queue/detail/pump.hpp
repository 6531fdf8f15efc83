#pragma once
// The loop that takes records from the ready queue, for runs with and without an observer.

#include <flowgraph/runtime/queue/executor.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// Runs ready records until none is left, or, for the owner of the run, until the run has ended. The hook sees the ready queue before each
// record and runs the records; hooks that look at every record exclude the short way of simple ones.
template <class Hook>
FLOWGRAPH_ALWAYS_INLINE void executor::pump_with(Hook hook, bool owner, threading::unique_lock<threading::mutex>& baton) {
  const bool fenced = Hook::is_plain && is_watched_at_changes(*options_), watched = is_watched(*options_) && !fenced;
  for (;;) {
    if (mail_.has_news()) drain();
    if (watched && !failure_) stop_if_asked();
    if (failure_) ready_.clear();
    hook.look(ready_);
    if (ready_.empty()) {
      if (!owner || apart_ == 0) return;
      wait(baton);
      continue;
    }
    const ready_record r = ready_.pop(root_);
    hook.take(r);
    const plan_record& record = plan_->records[r.record];
    const bool is_dead = r.at->records[record.local].dead > 0;
    const bool may_go_apart = Hook::offloads && services_.pool && (!ready_.empty() || apart_ > 0);
    if constexpr (Hook::is_plain) {
      if (record.is_simple && !is_dead && !may_go_apart && !(fenced && record.table->stateful)) [[likely]] {
        run_simple(record, *r.at);
        continue;
      }
    }
    if (record.control != control_flow::none || is_dead) {
      hook.run_flow(*this, r, baton);
    } else if (fenced && has_ended_before(r)) {
      continue;
    } else if (record.is_async) {
      hook.start(*this, r);
    } else if (may_go_apart && is_expensive(r)) {
      if (!ready_.empty()) summon();
      run_apart(r, baton);
    } else {
      hook.run(*this, r);
    }
  }
}

}  // namespace detail

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
