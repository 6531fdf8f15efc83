#pragma once
// The loop that takes records from the ready queue, for runs with and without an observer.

#include <flowgraph/runtime/queue/impl/propagation.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_ALWAYS_INLINE void executor::run_here(const ready_record& r) {
  const plan_record& record = plan_->records[r.record];
  if (execute(record, *r.at)) [[likely]]
    complete(r);
  else fail(named(own_.take_failure(), record, *r.at));
}

// The hook of runs without observers. The hooks of observed runs derive from it, and replace what they observe.
struct executor::plain_hook {
  static constexpr bool is_plain = true, offloads = true;

  void look(const ready_queue&) const {}
  void take(const ready_record&) const {}
  FLOWGRAPH_ALWAYS_INLINE void run_flow(executor& e, const ready_record& r,
                                        threading::unique_lock<threading::mutex>& baton) const {
    e.flow_->run(r.record, *r.at, baton);
  }
  void start(executor& e, const ready_record& r) const { e.async_->start(r); }
  FLOWGRAPH_ALWAYS_INLINE void run(executor& e, const ready_record& r) const { e.run_here(r); }
};

// Runs ready records until none is left, or, for the owner of the run, until the run has ended. The hook sees the ready queue before each
// record and runs the records; hooks that look at every record exclude the short way of simple ones.
template <class Hook>
FLOWGRAPH_ALWAYS_INLINE void executor::pump_with(Hook hook, bool owner, threading::unique_lock<threading::mutex>& baton) {
  const bool fenced = Hook::is_plain && is_watched_at_changes(*run_.options), watched = is_watched(*run_.options) && !fenced;
  for (;;) {
    if (mail_.has_news()) drain();
    if (watched && !run_.failure) stop_if_asked();
    if (run_.failure) ready_.clear();
    hook.look(ready_);
    if (ready_.empty()) {
      if (!owner || apart_.running == 0) return;
      wait(baton);
      continue;
    }
    const ready_record r = ready_.pop(root_);
    hook.take(r);
    const plan_record& record = plan_->records[r.record];
    progress& waits = r.at->records[record.local];
    const bool is_dead = waits.dead > 0;
    const bool may_go_apart = Hook::offloads && services_.pool && (!ready_.empty() || apart_.running > 0);
    if constexpr (Hook::is_plain) {
      if (record.is_simple && !is_dead && !may_go_apart && !(fenced && record.table->stateful)) [[likely]] {
        run_simple(record, *r.at, waits);
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

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
