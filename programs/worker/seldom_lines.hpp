#pragma once
// Prints lines about events that unknown peers can cause: a few lines per second, and the number of further events.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

class seldom_lines {
public:
  // `rest` follows "flowgraph-worker: and 12 ".
  explicit seldom_lines(std::string rest) : rest_(std::move(rest)), counter_([this] { count(); }) {}
  ~seldom_lines() {
    {
      const std::lock_guard lock(mutex_);
      is_ending_ = true;
    }
    changed_.notify_all();
    counter_.join();
  }
  seldom_lines(const seldom_lines&) = delete;

  // Writes the line to the standard error, or only counts it. Thread-safe.
  void say(const std::string& line) {
    const std::lock_guard lock(mutex_);
    if (said_ == most_lines) {
      ++unsaid_;
      return;
    }
    std::fprintf(stderr, "flowgraph-worker: %s\n", line.c_str());
    if (said_++ == 0) changed_.notify_all();
  }

private:
  static constexpr std::size_t most_lines = 5;

  // Sleeps until there is a line, then for a second, and prints the number of suppressed lines.
  void count() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return said_ > 0 || is_ending_; });
      changed_.wait_for(lock, std::chrono::seconds(1), [&] { return is_ending_; });
      if (unsaid_ > 0) std::fprintf(stderr, "flowgraph-worker: and %zu %s\n", unsaid_, rest_.c_str());
      if (is_ending_) return;
      said_ = unsaid_ = 0;
    }
  }

  const std::string rest_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t said_ = 0, unsaid_ = 0;
  bool is_ending_ = false;
  std::thread counter_;  // last member: the thread uses all others
};
