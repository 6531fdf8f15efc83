#pragma once
// Batches of a training that are prepared while the training uses another batch.

#include "command.hpp"

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/formats/click_text.hpp>
#include <flowgraph/runtime/session.hpp>

#include <array>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <vector>

namespace command::clicks {

struct prepared_batch {
  fg::click_batch batch;
  std::vector<fg::fed> feeds;
  fg::click_position position;  // after the batch
};

// Prepares the next batches in tasks of a pool while the caller uses the current batch. The thread of the pool that has prepared a
// batch helps with the loops of the caller's step.
class batches_ahead {
public:
  using maker = std::function<bool(prepared_batch&)>;  // returns false at the end
  static constexpr std::size_t most = 2;

  // At most `ahead` batches are complete or in work, 1 to `most`. The pool must have a second thread.
  batches_ahead(fg::thread_pool& pool, maker make, std::size_t ahead) : pool_(pool), make_(std::move(make)), ahead_(ahead) {
    pool_.submit([this] { prepare(); });
  }
  ~batches_ahead() {
    std::unique_lock lock(mutex_);
    is_over_ = true;
    changed_.wait(lock, [&] { return !is_preparing_; });
  }
  // Returns the next batch, or null at the end. The batch that it returned before is no longer valid.
  prepared_batch* next() {
    std::unique_lock lock(mutex_);
    wait_until(lock, [&] { return ready_ > 0 || is_at_end_; });
    if (ready_ == 0 && why_) std::rethrow_exception(why_);
    if (ready_ == 0) return nullptr;
    used_ = place(1);
    --ready_;
    const bool begins = !is_preparing_ && !is_at_end_;
    is_preparing_ |= begins;
    lock.unlock();
    if (begins) pool_.submit([this] { prepare(); });
    return &all_[used_];
  }
  // Waits until `ahead` batches are complete.
  void wait() {
    std::unique_lock lock(mutex_);
    wait_until(lock, [&] { return ready_ == ahead_ || is_at_end_; });
  }

private:
  std::size_t place(std::size_t after) const { return (used_ + after) % all_.size(); }
  // Helps with the loops of `prepare` as long as the condition is false.
  template <class Condition> void wait_until(std::unique_lock<std::mutex>& lock, Condition is_true) {
    while (!is_true()) {
      lock.unlock();
      const bool has_helped = pool_.help();
      lock.lock();
      if (!has_helped && !is_true()) changed_.wait(lock);
    }
  }
  void prepare() {
    std::unique_lock lock(mutex_);
    prepared_batch& to = all_[place(1 + ready_)];
    lock.unlock();
    bool has_next = false;
    std::exception_ptr why;
    try {
      has_next = make_(to);
    } catch (...) { why = std::current_exception(); }
    lock.lock();
    is_at_end_ = !has_next;
    why_ = why;
    if (has_next) ++ready_;
    const bool continues = has_next && !is_over_ && ready_ < ahead_;
    is_preparing_ = continues;
    changed_.notify_all();
    lock.unlock();
    if (continues) pool_.submit([this] { prepare(); });
  }

  fg::thread_pool& pool_;
  const maker make_;
  const std::size_t ahead_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<prepared_batch, most + 1> all_;  // the batch in use, and after it those that are complete
  std::size_t used_ = 0, ready_ = 0;
  bool is_preparing_ = true;  // a task is submitted or runs
  bool is_at_end_ = false, is_over_ = false;
  std::exception_ptr why_;
};

}  // namespace command::clicks
