#pragma once
// The way from record to record where each kernel is timed. One of its own: a clock in the other would cost every run.

#include <flowgraph/runtime/impl/propagation.hpp>

#include <chrono>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_SELDOM error executor::drive_measured(call_listener heard) {
  const stop_registration registration(*options_, on_stop{this});
  threading::unique_lock baton(baton_, threading::defer_lock);
  if (services_.pool || plan_->has_async) baton.lock();
  for (const std::uint32_t feed : plan_->feeds)
    if (feed != no_index) heard(plan_->records[feed], *root_, 0);
  if (!std::exchange(sources_started_, true))
    for (const std::uint32_t record : plan_->sources) become_ready(record, *root_);
  pump_measured(heard, baton);
  ++run_;
  return failure_;
}

FLOWGRAPH_SELDOM void executor::pump_measured(call_listener heard, threading::unique_lock<threading::mutex>& baton) {
  using clock = std::chrono::steady_clock;
  const bool watched = is_watched(*options_);
  for (;;) {
    if (has_answers_.load(std::memory_order_acquire)) drain();
    if (watched && !failure_) stop_if_asked();
    if (failure_) ready_.clear();
    if (ready_.empty()) {
      if (apart_ == 0) return;
      wait(baton);
      continue;
    }
    const ready_record r = ready_.pop(root_);
    const plan_record& record = plan_->records[r.record];
    const bool is_dead = r.at->records[record.local].dead > 0;
    if (record.control != control_flow::none || is_dead) {
      (this->*plan_->flow->run)(r.record, *r.at, baton);
    } else if (record.is_async) {
      async_->start(r);
    } else {
      const auto start = clock::now();
      const bool ran = execute(record, *r.at);
      const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(clock::now() - start).count();
      if (ran) heard(record, *r.at, static_cast<std::uint64_t>(took));
      if (ran) complete(r);
      else fail(named(own_.take_failure(), record, *r.at));
    }
  }
}

}  // namespace detail

}
}  // namespace flowgraph
