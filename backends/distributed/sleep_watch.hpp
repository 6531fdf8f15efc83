#pragma once
// Whether this process was asleep, stopped by a debugger or starved, for so long that its peers may have given it up. Who runs kernels for
// others asks between two of them: what was begun before such a sleep is nobody's any more.

#include <flowgraph/distributed/transport.hpp>
#include <flowgraph/runtime/interruption_checks.hpp>

#include <atomic>
#include <mutex>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// It sleeps where ticks of its transport come later than `limit` after one another. From any thread.
class sleep_watch {
public:
  // The clock is that of the transport, and outlives it.
  sleep_watch(task_clock& by, std::chrono::nanoseconds limit) : clock_(by), limit_(limit) {}

  // How often it has slept. Whoever is the first to be awake again counts.
  std::uint64_t sleeps() {
    const std::chrono::nanoseconds now = clock_.now(), awake = awake_.load(std::memory_order_acquire);
    if (now - awake > limit_ && awake != never) {
      // Several threads may count the same sleep: what has begun between them ends too.
      sleeps_.fetch_add(1, std::memory_order_acq_rel);
      awake_.store(now, std::memory_order_release);
    }
    return sleeps_.load(std::memory_order_acquire);
  }
  void tick(std::chrono::nanoseconds now) {
    sleeps();
    awake_.store(now, std::memory_order_release);
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

  task_clock& clock_;
  const std::chrono::nanoseconds limit_;
  std::atomic<std::chrono::nanoseconds> awake_{never};
  std::atomic<std::uint64_t> sleeps_{0};
  std::mutex mutex_;  // guards what follows
  stop_signal stop_;  // of all runs since the last sleep
  std::uint64_t stop_since_ = 0;
};

// What a run asks.
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
