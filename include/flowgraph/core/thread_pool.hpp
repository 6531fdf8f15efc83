#pragma once
// A pool with a fixed number of threads. The user creates the pool and passes it to sessions. Its threads run nodes that do not
// depend on each other, and the blocks into which kernels split their loops.
//
//     fg::thread_pool pool(4);                 // the calling thread counts: creates three threads
//     fg::session s{g, {.pool = &pool}};
//     fg::thread_pool eager(4, std::chrono::microseconds(200));  // waits actively for up to 200 us
//
// A pool must outlive every session that uses it. All members may be called from any thread.

#include <flowgraph/core/function.hpp>
#include <flowgraph/core/owned.hpp>

#include <chrono>
#include <cstdint>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A set of threads that sessions share. The threads run independent nodes at the same time, and run the loops of kernels in
// parallel.
class thread_pool {
public:
  // Creates a pool. `threads` includes the thread that calls session::run, so a pool of one thread creates no thread. In a build
  // without threads, each pool has one thread.
  //
  // `spin`: how long a thread without work looks for work before it sleeps. To wake a sleeping thread takes several microseconds,
  // so a step of many short kernels is faster if its threads do not sleep between them. A thread that spins uses its processor.
  // Default: 0, so that idle threads sleep at once.
  explicit thread_pool(int threads, std::chrono::microseconds spin = {});
  ~thread_pool();
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  // Returns the number of threads, including the calling thread.
  int size() const noexcept;

  // Runs `task` later on a thread of the pool. A pool of one thread runs the task before this function returns.
  void submit(unique_function<void()> task);

  // Calls block(0), block(1), ..., block(blocks - 1), each once, and returns when all calls have returned. The calling thread also
  // executes blocks, and never waits for a block that no thread has begun. So this function may be called inside a block or a task.
  // After an exception of a block, the blocks that have not begun are omitted, and the first exception leaves this function.
  void parallel_for(std::int64_t blocks, function_ref<void(std::int64_t)> block);

  // Executes one block of another thread's parallel_for, for a thread that would otherwise wait. Returns false if there is no block
  // left.
  bool help();

private:
  struct state;
  owned<state> state_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/core/impl/thread_pool.hpp>
#endif
