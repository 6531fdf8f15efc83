#pragma once
// Asynchronous kernels that answer some time later, or when they are requested to stop.

#include "engine_ops.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <optional>
#include <random>

namespace engine {

// Kernels that answer from another thread some time later, or when they are requested to stop, each exactly once.
class late_answers {
public:
  std::atomic<int> started = 0, answered = 0, told = 0, told_late = 0;

  // `failing` is the fraction of answers that are an error, `unavailable`.
  explicit late_answers(double failing = 0) : failing_(failing), thread_([this] { serve(); }) {}
  ~late_answers() {
    {
      std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    thread_.join();
  }
  async_body body() {
    return [this](fg::cpu, fg::done answer) {
      ++started;
      auto h = std::make_shared<held>();
      answer.on_cancel([this, h] {
        if (h->told.exchange(true)) ++told_late;
        ++told;
        give(*h, fg::error(error_code::cancelled, "told to stop"));
      });
      {
        std::lock_guard lock(h->mutex);
        h->answer.emplace(std::move(answer));
      }
      std::lock_guard lock(mutex_);
      queue_.push_back(std::move(h));
      wake_.notify_one();
    };
  }

private:
  struct held {
    std::mutex mutex;
    std::optional<fg::done> answer;
    std::atomic<bool> told = false;
  };
  void give(held& h, fg::error why) {
    std::optional<fg::done> mine;
    {
      std::lock_guard lock(h.mutex);
      mine.swap(h.answer);
    }
    if (!mine) return;
    ++answered;
    (*mine)(std::move(why));
  }
  void serve() {
    std::mt19937 random(17);
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return closing_ || !queue_.empty(); });
      if (queue_.empty()) return;
      auto h = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      if (random() % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
      const bool fails = static_cast<double>(random()) < failing_ * static_cast<double>(std::mt19937::max());
      give(*h, fails ? fg::error(error_code::unavailable, "by chance") : fg::error());
      lock.lock();
    }
  }

  double failing_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::shared_ptr<held>> queue_;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace engine
