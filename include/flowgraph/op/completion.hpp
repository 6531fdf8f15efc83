#pragma once
// The state of a call of an asynchronous kernel until the executor receives its completion.

#include <flowgraph/core/error.hpp>
#include <flowgraph/core/function.hpp>
#include <flowgraph/core/threads.hpp>

#include <atomic>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Whether a running asynchronous kernel waits for another run: see done::waits.
enum class waiting : std::uint8_t { no, saved, to_begin };

// The state that the kernel (through `done`) and the run share. Only the first completion counts.
struct completion {
  explicit completion(unique_function<void(error&&)> on_answer) : finish(std::move(on_answer)) {}

  void answer(error why) {
    unique_function<void()> dropped;  // destroyed without holding the lock
    {
      threading::lock_guard lock(mutex);
      if (answered) return;
      answered = true;
      if (stop) dropped = std::move(stop);
    }
    finish(std::move(why));
  }
  // Cancels the kernel. The run calls this function when it ends early.
  void cancel() {
    unique_function<void()> call;
    {
      threading::lock_guard lock(mutex);
      if (answered || cancelled) return;
      cancelled = true;
      call = std::move(stop);
    }
    if (call) call();
  }
  void register_stop(unique_function<void()> call) {
    {
      threading::lock_guard lock(mutex);
      if (answered) return;
      if (!cancelled) {
        stop = std::move(call);
        return;
      }
    }
    call();
  }

  std::atomic<waiting> waits{waiting::no};  // whether it waits for another run
  threading::mutex mutex;
  bool answered = false;
  bool cancelled = false;
  unique_function<void()> stop;
  unique_function<void(error&&)> finish;
};

}  // namespace flowgraph::detail
