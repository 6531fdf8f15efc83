#pragma once
// The pump of measured runs, which measures each kernel. It is separate, since clocks in the plain pump would slow down every run.

#include <flowgraph/runtime/queue/detail/pump.hpp>

#include <chrono>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Runs every kernel on this thread, and reports to the listener how long each synchronous kernel took.
struct executor::clock_hook : plain_hook {
  static constexpr bool is_plain = false, offloads = false;
  call_listener heard;

  explicit clock_hook(call_listener to) : heard(to) {}
  void run(executor& e, const ready_record& r) const {
    const plan_record& record = e.plan_->records[r.record];
    // In far memory, the kernel runs after its function has returned. If the run must end meanwhile, its next check finds out.
    std::pmr::memory_resource* const memory = services_of(record, e.services_).memory;
    const auto start = std::chrono::steady_clock::now();
    if (!e.execute(record, *r.at)) return e.fail(e.named(e.own_.take_failure(), record, *r.at));
    static_cast<void>(wait_while_running(memory, e.run_.options));
    const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
    heard(record, *r.at, static_cast<std::uint64_t>(took));
    e.complete(r);
  }
};

FLOWGRAPH_SELDOM error executor::drive_measured(call_listener heard) {
  const stop_registration registration(*run_.options, on_stop{this});
  threading::unique_lock baton(baton_, threading::defer_lock);
  if (services_.pool || plan_->has_async) baton.lock();
  for (const std::uint32_t feed : plan_->feeds)
    if (feed != no_index) heard(plan_->records[feed], *root_, 0);
  if (!std::exchange(run_.sources_started, true))
    for (const std::uint32_t record : plan_->sources) become_ready(record, *root_);
  pump_with(clock_hook{heard}, true, baton);
  ++run_.number;
  return run_.failure;
}

}  // namespace flowgraph::detail
