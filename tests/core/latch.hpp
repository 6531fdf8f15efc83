#pragma once
// What std::latch is. That of MinGW's g++ 12 does not wake those who wait.

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace test {

class latch {
public:
  explicit latch(std::ptrdiff_t count) : left_(count) {}

  void count_down() {
    const std::lock_guard lock(mutex_);
    if (--left_ == 0) zero_.notify_all();
  }
  bool try_wait() {
    const std::lock_guard lock(mutex_);
    return left_ == 0;
  }
  void wait() {
    std::unique_lock lock(mutex_);
    zero_.wait(lock, [&] { return left_ == 0; });
  }
  void arrive_and_wait() {
    count_down();
    wait();
  }

private:
  std::mutex mutex_;
  std::condition_variable zero_;
  std::ptrdiff_t left_;
};

}  // namespace test
