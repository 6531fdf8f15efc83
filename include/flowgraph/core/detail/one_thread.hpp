#pragma once
// The parts of the standard library that <flowgraph/core/threads.hpp> provides, for a build without threads.

#include <flowgraph/config.hpp>

#include <chrono>
#include <cstddef>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::detail::one_thread {

class mutex {
public:
  constexpr mutex() noexcept = default;
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  void lock() noexcept { is_held_ = true; }
  bool try_lock() noexcept { return !is_held_ && (is_held_ = true); }
  void unlock() noexcept { is_held_ = false; }

  void lock_shared() noexcept {}
  void unlock_shared() noexcept {}

private:
  bool is_held_ = false;
};
using shared_mutex = mutex;

struct defer_lock_t {};
inline constexpr defer_lock_t defer_lock;

template <class Mutex> class lock_guard {
public:
  explicit lock_guard(Mutex& m) noexcept : of_(m) { of_.lock(); }
  ~lock_guard() { of_.unlock(); }
  lock_guard(const lock_guard&) = delete;
  lock_guard& operator=(const lock_guard&) = delete;

private:
  Mutex& of_;
};

template <class Mutex> class shared_lock {
public:
  explicit shared_lock(Mutex& m) noexcept : of_(m) { of_.lock_shared(); }
  ~shared_lock() { of_.unlock_shared(); }
  shared_lock(const shared_lock&) = delete;
  shared_lock& operator=(const shared_lock&) = delete;

private:
  Mutex& of_;
};

template <class Mutex> class unique_lock {
public:
  unique_lock() noexcept = default;
  explicit unique_lock(Mutex& m) noexcept : of_(&m) { lock(); }
  unique_lock(Mutex& m, defer_lock_t) noexcept : of_(&m) {}
  unique_lock(unique_lock&& other) noexcept : of_(std::exchange(other.of_, nullptr)), owns_(std::exchange(other.owns_, false)) {}
  ~unique_lock() {
    if (owns_) unlock();
  }
  unique_lock& operator=(unique_lock&&) = delete;

  void lock() noexcept {
    of_->lock();
    owns_ = true;
  }
  bool try_lock() noexcept { return owns_ = of_->try_lock(); }
  void unlock() noexcept {
    of_->unlock();
    owns_ = false;
  }
  bool owns_lock() const noexcept { return owns_; }

private:
  Mutex* of_ = nullptr;
  bool owns_ = false;
};

// No other thread makes a condition true. A wait without a limit returns at once, and the caller checks the condition again. A
// wait with a limit ends at the limit, as it would with threads.
class condition_variable {
public:
  void notify_one() noexcept {}
  void notify_all() noexcept {}

  template <class Lock> void wait(Lock&) noexcept {}
  template <class Lock, class Condition> void wait(Lock&, Condition&&) noexcept {}
  template <class Lock, class Time, class Condition> bool wait_until(Lock&, const Time& time, Condition is_met) {
    while (!is_met())
      if (Time::clock::now() >= time) return false;
    return true;
  }
  template <class Lock, class Duration> void wait_for(Lock&, const Duration& time) { pass(time); }

  template <class Duration> static void pass(const Duration& time) {
    const auto end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {}
  }
};

// The only thread, which is never started.
class thread {
public:
  struct id {
    int number = 0;
    friend bool operator==(id, id) = default;
  };
  void join() noexcept {}
};

namespace this_thread {

inline thread::id get_id() noexcept { return {1}; }
template <class Duration> void sleep_for(const Duration& time) { condition_variable::pass(time); }

}  // namespace this_thread

}  // namespace flowgraph::detail::one_thread
