#pragma once
// Whether this process was asleep, stopped by a debugger or starved, for so long that its peers may have given it up. Who runs kernels for
// others asks between two of them: what was begun before such a sleep is nobody's any more.

#include <flowgraph/distributed/transport.hpp>
#include <flowgraph/runtime/interruption_checks.hpp>

#include <atomic>
#include <mutex>

#include <time.h>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// It sleeps where ticks of its transport come later than `limit` after one another. From any thread.
class sleep_watch {
public:
  // The clock is that of the transport, and outlives it.
  // `is_real`: it is the machine's, and is not counted.
  sleep_watch(task_clock& by, std::chrono::nanoseconds limit, bool is_real = false)
      : clock_(by), limit_(limit), is_real_(is_real) {}

  // How often it has slept. Whoever is the first to be awake again counts.
  std::uint64_t sleeps() {
    if (is_real_ && has_looked_cheaply()) return sleeps_.load(std::memory_order_acquire);
    look();
    return sleeps_.load(std::memory_order_acquire);
  }
  void tick(std::chrono::nanoseconds now) {
    sleeps();
    awake_.store(now, std::memory_order_release);
  }
  // A peer counts a shorter sleep already.
  void expect(std::chrono::nanoseconds limit) {
    for (auto held = limit_.load(std::memory_order_relaxed); limit < held;)
      if (limit_.compare_exchange_weak(held, limit, std::memory_order_relaxed)) return;
  }
  // No ticks come from now on, until the next one.
  void rest() { awake_.store(never, std::memory_order_release); }

  // Ends a run that begins now, once this process has slept. Valid as long as this.
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
      // Several threads may count the same sleep: what has begun between them ends too.
      sleeps_.fetch_add(1, std::memory_order_acq_rel);
      awake_.store(now, std::memory_order_release);
    }
  }
  // Runs ask for each kernel: most times the system's own timer, which is cheap to read, has not even ticked since somebody looked.
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
  std::mutex mutex_;  // guards what follows
  stop_signal stop_;  // of all runs since the last sleep
  std::uint64_t stop_since_ = 0;
};

// Asked by a run between two kernels: whether the process has slept since the run began.
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

}
}
}  // namespace flowgraph::distributed
