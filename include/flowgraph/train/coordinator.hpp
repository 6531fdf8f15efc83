#pragma once
// Threads that work for one purpose: the first one that fails, or asks for it, ends them all, and whoever joins them learns why.
//
//     fg::coordinator workers;
//     workers.start("reader", [&](std::stop_token stop) { while (!stop.stop_requested()) ...; });   // a thread of its own
//     std::thread mine([&] { workers.work_here([&](std::stop_token stop) { ... }); });              // a thread of the caller's
//     ...
//     workers.request_stop();
//     workers.join(fg::steady_time::after(5s));      // raises what ended them
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

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Starts threads, or counts those of others in; ends them together, and tells why.
class coordinator {
public:
  // What a thread does: it looks at the token now and then, or hands it to the runs it makes, {.stop = token}.
  using work = unique_function<void(stop_token)>;

  coordinator();
  // Asks all to stop, and waits for them.
  ~coordinator();
  coordinator(const coordinator&) = delete;
  coordinator& operator=(const coordinator&) = delete;

  // Does the work in a new thread. What it throws ends all, and is kept for `join`. A build without threads fails instead.
  void start(std::string name, work what);
  // Does the work in the calling thread, as one of those that are joined.
  void work_here(work what, std::string name = "a thread of the caller's");

  // All should end soon.
  void request_stop() noexcept;
  // The same, for a reason, which `join` gives. The first one counts.
  void fail(error why);
  // Whether somebody has asked.
  bool stop_requested() const noexcept;
  // For the options of runs that may wait, {.stop = token}.
  stop_token token() const noexcept;

  // Waits until no work is left. Where there is some at the deadline: deadline_exceeded, with the names of those who work.
  result<void> try_join(steady_time deadline = {});
  // Waits likewise, and raises the reason; an exception that a thread has thrown is thrown here.
  void join(steady_time deadline = {});

private:
  struct state;
  owned<state> state_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/coordinator.hpp>
#endif
