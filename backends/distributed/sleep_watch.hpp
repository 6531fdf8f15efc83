#pragma once
// Notices whether this process was asleep, stopped by a debugger or starved for so long that its peers may have given it up. Runs
// for other tasks check this between two kernels: the result of work that began before such a sleep is not wanted any more.

#include <flowgraph/distributed/transport.hpp>
#include <flowgraph/runtime/interruption_checks.hpp>

#include <atomic>
#include <mutex>

#include <time.h>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// The process counts as asleep if two ticks of its transport are more than `limit` apart. Thread-safe.
class sleep_watch {
public:
  // `by` is the clock of the transport, and must outlive this object. `is_real` says that it is the clock of the machine: then most
  // checks use a cheaper clock of the system.
  sleep_watch(task_clock& by, std::chrono::nanoseconds limit, bool is_real = false)
      : clock_(by), limit_(limit), is_real_(is_real) {}

  // Returns how often the process has slept. The first caller after a sleep counts it.
  std::uint64_t sleeps() {
    if (is_real_ && has_looked_cheaply()) return sleeps_.load(std::memory_order_acquire);
    look();
    return sleeps_.load(std::memory_order_acquire);
  }
  void tick(std::chrono::nanoseconds now) {
    sleeps();
    awake_.store(now, std::memory_order_release);
  }
  // Lowers the limit, since a peer gives this process up after a shorter sleep already.
  void expect(std::chrono::nanoseconds limit) {
    for (auto held = limit_.load(std::memory_order_relaxed); limit < held;)
      if (limit_.compare_exchange_weak(held, limit, std::memory_order_relaxed)) return;
  }
  // Announces that no ticks come until the next call of tick().
  void rest() { awake_.store(never, std::memory_order_release); }

  // Returns a signal that ends a run that begins now, if the process sleeps later. The signal is valid as long as this object.
  stop_signal stop_of_run();
  static error why() {
    return error(error_code::unavailable, "the task was asleep for so long that its peers may have given up the step");
  }

private:
  class fence;
  static constexpr std::chrono::nanoseconds never{-1};

  void look() {
    const std::chrono::nanoseconds now = clock_.now(), awake = awake_.load(std::memory_order_acquire);
    if (now - awake > limit_.load(std::memory_order_relaxed) && awake != never) {
      // Several threads may count the same sleep. Then runs that began between these counts end, too.
      sleeps_.fetch_add(1, std::memory_order_acq_rel);
      awake_.store(now, std::memory_order_release);
    }
  }
  // A cheap check, since runs check for each kernel: mostly the coarse clock of the system has not changed since the last full
  // check.
  bool has_looked_cheaply() {
#ifdef CLOCK_MONOTONIC_COARSE
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    const std::int64_t now = std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
    if (tick_.load(std::memory_order_acquire) == now) return true;
    look();
    tick_.store(now, std::memory_order_release);
    return true;
#else
    return false;
#endif
  }

  task_clock& clock_;
  std::atomic<std::chrono::nanoseconds> limit_;
  const bool is_real_;
  std::atomic<std::int64_t> tick_{0};
  std::atomic<std::chrono::nanoseconds> awake_{never};
  std::atomic<std::uint64_t> sleeps_{0};
  std::mutex mutex_;  // guards the following members
  stop_signal stop_;  // of all runs since the last sleep
  std::uint64_t stop_since_ = 0;
};

// A condition that a run checks between two kernels: whether the process has slept since the run began.
class sleep_watch::fence final : public detail::stop_condition {
public:
  fence(sleep_watch& w, std::uint64_t begun) : watch_(w), begun_(begun) {}
  error check() const override { return watch_.sleeps() == begun_ ? error() : why(); }

private:
  sleep_watch& watch_;
  std::uint64_t begun_;
};

inline stop_signal sleep_watch::stop_of_run() {
  const std::uint64_t now = sleeps();
  const std::lock_guard lock(mutex_);
  if (!stop_.token() || stop_since_ != now) {
    stop_ = detail::condition_token{std::make_shared<fence>(*this, now)};
    stop_since_ = now;
  }
  return stop_;
}

}  // namespace flowgraph::distributed
