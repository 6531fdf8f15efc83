#pragma once
// A fixed set of threads that the user makes and gives to sessions. Inter-op tasks and the blocks of a kernel share them.
//
//     fg::thread_pool pool(4);                 // the caller's thread counts: makes three
//     fg::session s{g, {.pool = &pool}};
//
// Outlives every session that uses it. All members may be called from any thread.

#include <flowgraph/core/function.hpp>
#include <flowgraph/core/owned.hpp>

#include <cstdint>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Threads that sessions share, for nodes that run side by side and for the loops of kernels.
class thread_pool {
public:
  // `threads` includes the one that calls run(): a pool of one makes none. In a build without threads, each pool is a pool of one.
  explicit thread_pool(int threads);
  ~thread_pool();
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  // The number of threads, the calling one included.
  int size() const noexcept;

  // Runs `task` on one of the pool's own threads, some time. A pool of one runs it before returning.
  void submit(unique_function<void()> task);

  // Calls block(0) .. block(blocks - 1), each once, and returns when all have. The caller works too and never waits for a
  // block that nobody has begun; so it may be called from within a block or a task.
  void parallel_for(std::int64_t blocks, function_ref<void(std::int64_t)> block);

  // For a thread that would otherwise wait: runs one block of another thread's parallel_for. False if no block is left to begin.
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
