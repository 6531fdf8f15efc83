#pragma once
// Threads for longer computations. A thread may outlive its owner until its current computation ends, since the owner may be
// destroyed on any thread.

#include <flowgraph/core/function.hpp>
#include <flowgraph/distributed/recycled.hpp>

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI::tcp {

// Waits for the end of a thread. If the thread itself calls this, it is detached instead.
inline void join_or_leave(std::thread& t) {
  if (t.get_id() == std::this_thread::get_id()) t.detach();
  else if (t.joinable()) t.join();
}

class compute_threads {
public:
  explicit compute_threads(int threads) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([state = state_] { state->run(); });
  }
  ~compute_threads() { stop(); }

  // `f` may destroy this object before submit() has returned.
  void submit(unique_function<void()> f) {
    const std::shared_ptr<state> held = state_;
    const std::lock_guard lock(held->mutex);
    if (held->has_ended) return;
    held->tasks.push_back(std::move(f));
    held->changed.notify_one();
  }

  // Drops all computations that have not begun.
  void stop() {
    task_queue dropped;
    {
      const std::lock_guard lock(state_->mutex);
      state_->has_ended = true;
      dropped.swap(state_->tasks);
    }
    state_->changed.notify_all();
    for (std::thread& t : threads_) join_or_leave(t);
    threads_.clear();
  }

private:
  using task_queue = std::deque<unique_function<void()>, recycled_allocator<unique_function<void()>>>;
  struct state {
    std::mutex mutex;
    std::condition_variable changed;
    task_queue tasks;
    bool has_ended = false;

    void run() {
      for (;;) {
        unique_function<void()> f;
        {
          std::unique_lock lock(mutex);
          changed.wait(lock, [&] { return has_ended || !tasks.empty(); });
          if (has_ended) return;
          f = std::move(tasks.front());
          tasks.pop_front();
        }
        f();
      }
    }
  };

  std::shared_ptr<state> state_ = std::make_shared<state>();
  std::vector<std::thread> threads_;
};

}  // namespace flowgraph::tcp
