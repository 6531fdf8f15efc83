#pragma once

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/core/threads.hpp>

#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

struct thread_pool::state {
  // A parallel_for in progress. It is on its caller's stack, and linked here until all its blocks are taken.
  struct loop {
    function_ref<void(std::int64_t)> block;
    std::int64_t blocks;
    std::atomic<std::int64_t> next{0};
    std::atomic<int> helpers{0};  // threads inside run(); changed only with `mutex`
    loop* following = nullptr;
#ifdef FLOWGRAPH_EXCEPTIONS
    std::atomic<bool> threw{false};
    std::exception_ptr thrown = {};  // the first exception of a block; the caller throws it again when no thread is inside run()
#endif

    void run() {
      for (std::int64_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < blocks;) run_block(i);
    }
    // After an exception, the blocks that have not begun are omitted.
    void run_block(std::int64_t i) {
#ifdef FLOWGRAPH_EXCEPTIONS
      try {
        block(i);
      } catch (...) {
        if (!threw.exchange(true)) thrown = std::current_exception();
        next.store(blocks, std::memory_order_relaxed);
      }
#else
      block(i);
#endif
    }
    void throw_again() {
#ifdef FLOWGRAPH_EXCEPTIONS
      if (thrown) std::rethrow_exception(std::move(thrown));
#endif
    }
    bool exhausted() const { return next.load(std::memory_order_relaxed) >= blocks; }
  };

  threading::mutex mutex;
  threading::condition_variable work, left;
  std::deque<unique_function<void()>> tasks;
  loop* loops = nullptr;
  bool stopping = false;
  std::vector<threading::thread> threads;
  std::chrono::microseconds spin{0};
  std::atomic<std::uint32_t> offers{0};  // counts new loops and tasks; a spinning thread reads it without the mutex

  // Waits actively for a condition, at most for the time `spin`. Returns whether the condition is true.
  template <class Condition> bool spin_until(Condition condition) const {
    if (condition()) return true;
    if (spin.count() <= 0) return false;
    const auto end = std::chrono::steady_clock::now() + spin;
    do {
      for (int i = 0; i < 32; ++i) {
        if (condition()) return true;
        pause();
      }
    } while (std::chrono::steady_clock::now() < end);
    return condition();
  }
  static void pause() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  // Returns whether there was an offer while the thread spun. Precondition: `lock` is locked, and there is no work.
  bool spin_for_work(threading::unique_lock<threading::mutex>& lock) {
    const std::uint32_t seen = offers.load(std::memory_order_relaxed);
    const auto is_offered = [&] { return offers.load(std::memory_order_relaxed) != seen; };
    lock.unlock();
    spin_until(is_offered);
    lock.lock();
    return is_offered();
  }

  loop* open_loop() {
    for (loop* l = loops; l; l = l->following)
      if (!l->exhausted()) return l;
    return nullptr;
  }

  void unlink(loop* gone) {
    for (loop** l = &loops; *l; l = &(*l)->following)
      if (*l == gone) {
        *l = gone->following;
        return;
      }
  }

  // Waits until no other thread runs blocks of the loop. Precondition: all its blocks are taken.
  void leave(loop& l) {
    threading::unique_lock lock(mutex);
    unlink(&l);
    if (spin.count() > 0 && l.helpers > 0) {
      lock.unlock();
      if (spin_until([&] { return l.helpers.load(std::memory_order_acquire) == 0; })) return;
      lock.lock();
    }
    left.wait(lock, [&] { return l.helpers == 0; });
  }

  void serve() {
    threading::unique_lock lock(mutex);
    for (;;) {
      if (loop* l = open_loop()) {
        ++l->helpers;
        lock.unlock();
        l->run();
        lock.lock();
        if (--l->helpers == 0) left.notify_all();
      } else if (!tasks.empty()) {
        auto task = std::move(tasks.front());
        tasks.pop_front();
        lock.unlock();
        task();
        task.reset();
        lock.lock();
      } else if (stopping) {
        return;
      } else if (spin.count() <= 0 || !spin_for_work(lock)) {
        work.wait(lock);
      }
    }
  }
};

FLOWGRAPH_INLINE thread_pool::thread_pool(int threads, std::chrono::microseconds spin) : state_(new state) {
#ifdef FLOWGRAPH_NO_THREADS
  static_cast<void>(threads), static_cast<void>(spin);
#else
  state_->spin = spin;
  for (int i = 1; i < threads; ++i) state_->threads.emplace_back([s = state_.get()] { s->serve(); });
#endif
}

FLOWGRAPH_INLINE thread_pool::~thread_pool() {
  {
    threading::lock_guard lock(state_->mutex);
    state_->stopping = true;
    state_->offers.fetch_add(1, std::memory_order_relaxed);
  }
  state_->work.notify_all();
  for (auto& t : state_->threads) t.join();
}

FLOWGRAPH_INLINE int thread_pool::size() const noexcept { return static_cast<int>(state_->threads.size()) + 1; }

FLOWGRAPH_INLINE void thread_pool::submit(unique_function<void()> task) {
  if (state_->threads.empty()) return task();
  {
    threading::lock_guard lock(state_->mutex);
    state_->tasks.push_back(std::move(task));
    state_->offers.fetch_add(1, std::memory_order_relaxed);
  }
  state_->work.notify_one();
}

FLOWGRAPH_INLINE void thread_pool::parallel_for(std::int64_t blocks, function_ref<void(std::int64_t)> block) {
  if (blocks <= 1 || state_->threads.empty()) {
    for (std::int64_t i = 0; i < blocks; ++i) block(i);
    return;
  }
  state::loop l{block, blocks};
  {
    threading::lock_guard lock(state_->mutex);
    l.following = state_->loops;
    state_->loops = &l;
    state_->offers.fetch_add(1, std::memory_order_relaxed);
  }
  if (blocks == 2) state_->work.notify_one();
  else state_->work.notify_all();
  l.run();
  state_->leave(l);
  l.throw_again();
}

FLOWGRAPH_INLINE bool thread_pool::help() {
  threading::unique_lock lock(state_->mutex);
  state::loop* const l = state_->open_loop();
  if (!l) return false;
  ++l->helpers;
  lock.unlock();
  const std::int64_t i = l->next.fetch_add(1, std::memory_order_relaxed);
  if (i < l->blocks) l->run_block(i);
  lock.lock();
  if (--l->helpers == 0) state_->left.notify_all();
  return true;
}

}  // namespace flowgraph
