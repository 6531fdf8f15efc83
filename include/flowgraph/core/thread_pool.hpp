#pragma once
// A fixed set of threads that the user creates and passes to sessions. The pool runs independent nodes, and the blocks of a
// kernel's loop.
//
//     fg::thread_pool pool(4);                 // the calling thread counts: creates three threads
//     fg::session s{g, {.pool = &pool}};
//
// A pool must outlive every session that uses it. All members may be called from any thread.

#include <flowgraph/core/function.hpp>
#include <flowgraph/core/owned.hpp>

#include <cstdint>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Threads that sessions share, for nodes that run at the same time and for the loops of kernels.
class thread_pool {
public:
  // Creates a pool. `threads` includes the thread that calls run(): a pool of one creates no thread. In a build without threads,
  // each pool is a pool of one.
  explicit thread_pool(int threads);
  ~thread_pool();
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  // Returns the number of threads, including the calling thread.
  int size() const noexcept;

  // Runs `task` later on a thread of the pool. A pool of one runs it before returning.
  void submit(unique_function<void()> task);

  // Calls block(0) .. block(blocks - 1) once each, and returns when all calls have returned. The calling thread executes blocks
  // too, and never waits for a block that no thread has begun. So this function may be called within a block or a task.
  void parallel_for(std::int64_t blocks, function_ref<void(std::int64_t)> block);

  // Executes one block of another thread's parallel_for. For threads that would otherwise wait. Returns false if there is no
  // block left.
  bool help();

private:
  struct state;
  owned<state> state_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/core/impl/thread_pool.hpp>
#endif
