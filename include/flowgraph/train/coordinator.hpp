#pragma once
// Threads that work together: the first thread that fails or requests a stop ends them all, and `join` reports the reason.
//
//     fg::coordinator workers;
//     workers.start("reader", [&](std::stop_token stop) { while (!stop.stop_requested()) ...; });   // a new thread
//     std::thread mine([&] { workers.work_here([&](std::stop_token stop) { ... }); });              // the caller's thread
//     ...
//     workers.request_stop();
//     workers.join(fg::steady_time::after(5s));      // raises the error that ended them
//
// All members may be called from any thread.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/function.hpp>
#include <flowgraph/core/owned.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/runtime/interruption.hpp>

#include <exception>
#include <string>
#include <vector>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A group of threads: new threads that the coordinator starts, and threads of the caller. The coordinator ends all of them
// together, and reports the reason.
class coordinator {
public:
  // The work of a thread. It must check the token regularly, or pass the token to its runs: {.stop = token}.
  using work = unique_function<void(stop_token)>;

  coordinator();
  // Requests a stop, and waits for all threads.
  ~coordinator();
  coordinator(const coordinator&) = delete;
  coordinator& operator=(const coordinator&) = delete;

  // Executes the work in a new thread. If the work throws an exception, all threads end, and `join` rethrows the exception. If
  // no thread can be started, calls `fail` with the error `resource_exhausted`, or `unimplemented` in a build without threads.
  void start(std::string name, work what);
  // Executes the work in the calling thread. `join` waits for this work too.
  void work_here(work what, std::string name = "a thread of the caller's");

  // Requests that all threads end soon.
  void request_stop() noexcept;
  // Requests a stop because of an error, which `join` reports. Only the first error is kept.
  void fail(error why);
  // Returns whether a stop was requested.
  bool stop_requested() const noexcept;
  // Returns the stop token. Pass it to runs that may wait: {.stop = token}.
  stop_token token() const noexcept;

  // Waits until all threads have ended. If the deadline passes first, returns the error deadline_exceeded, which names the
  // threads that still work.
  result<void> try_join(steady_time deadline = {});
  // Like try_join, but raises the error, or rethrows the exception of a thread.
  void join(steady_time deadline = {});

private:
  struct state;
  owned<state> state_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/coordinator.hpp>
#endif
