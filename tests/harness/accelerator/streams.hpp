#pragma once
// The streams of emulated accelerators: queues of work that runs later, when a thread waits for it. The seed determines the
// order, among those that the queues and their events allow. So tests find work that waits for too little.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <vector>

namespace accelerator {

class machine;

// Work in the order in which it was enqueued.
class stream {
  friend class machine;
  // All work that a stream had received at some time.
  struct position {
    const stream* of;
    std::uint64_t number;
    bool has_passed() const { return of->done_ >= number; }
  };
  struct task {
    std::vector<position> after;
    std::function<void()> run;
  };

public:
  using event = position;

private:
  std::deque<task> waiting_;
  std::uint64_t asked_ = 0, done_ = 0;
};

// The machine that all accelerators of a test share. Any thread may use it. Work runs on the waiting thread, one piece at a time.
class machine {
public:
  explicit machine(std::uint64_t seed) : random_(seed) {}

  void add(stream& s) {
    const std::lock_guard lock(mutex_);
    streams_.push_back(&s);
  }
  // Must be called before the stream ends. Runs all waiting work, on any stream, so that no work waits for this stream any more.
  void remove(const stream& s) {
    const std::lock_guard lock(mutex_);
    while (run_any()) {}
    std::erase(streams_, &s);
  }
  // Returns the work that the stream has received so far.
  stream::event reached(const stream& s) {
    const std::lock_guard lock(mutex_);
    return {&s, s.asked_};
  }
  // Enqueues work that runs after all earlier work of the stream, and after `events`.
  stream::event enqueue(stream& s, std::vector<stream::event> events, std::function<void()> run) {
    const std::lock_guard lock(mutex_);
    s.waiting_.push_back({std::move(events), std::move(run)});
    const stream::event asked{&s, ++s.asked_};
    for (std::uint64_t n = random_() % 3; n > 0 && run_any(); --n) {}
    return asked;
  }
  void wait(stream::event e) {
    std::unique_lock lock(mutex_);
    do let_go_.wait(lock, [&] { return !is_held_ || e.has_passed(); });
    while (!e.has_passed() && run_any());
  }
  void wait(const stream& s) { wait(reached(s)); }
  // Runs at most one piece of work, and returns whether the event has passed.
  bool has_passed(stream::event e) {
    const std::lock_guard lock(mutex_);
    if (!e.has_passed()) run_any();
    return e.has_passed();
  }
  // Holds back all work, or lets it run. Threads that wait meanwhile sleep.
  void hold(bool is_held) {
    const std::lock_guard lock(mutex_);
    is_held_ = is_held;
    let_go_.notify_all();
  }

private:
  // Returns false if no work may run.
  bool run_any() {
    if (is_held_) return false;
    std::vector<stream*> ready;
    for (stream* s : streams_) {
      if (s->waiting_.empty()) continue;
      bool may_run = true;
      for (const stream::event& e : s->waiting_.front().after) may_run = may_run && e.has_passed();
      if (may_run) ready.push_back(s);
    }
    if (ready.empty()) return false;
    stream& s = *ready[random_() % ready.size()];
    const std::function<void()> run = std::move(s.waiting_.front().run);
    s.waiting_.pop_front();
    run();
    ++s.done_;
    return true;
  }

  std::mutex mutex_;
  std::condition_variable let_go_;
  bool is_held_ = false;
  std::mt19937_64 random_;
  std::vector<stream*> streams_;
};

}  // namespace accelerator
