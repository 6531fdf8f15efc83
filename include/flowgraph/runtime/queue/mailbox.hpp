#pragma once
// The news for the thread that drives an executor: values of other parts, answers of kernels, and the request to end.

#include <flowgraph/core/function.hpp>
#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/threads.hpp>
#include <flowgraph/op/runner.hpp>
#include <flowgraph/runtime/queue/frame.hpp>
#include <flowgraph/runtime/queue/plan_runner.hpp>
#include <flowgraph/runtime/queue/ready_queue.hpp>

#include <atomic>
#include <utility>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A value that another part of the run has sent.
struct arrived_value {
  ready_queue::item at;
  bool dead;
  edge_value value;
};

// Any thread may put news in; the driving thread takes the news, or sleeps until there is some.
class mailbox {
public:
  // Guards the mailbox, and the answers of asynchronous kernels. Never held while a kernel runs.
  threading::mutex& guard() noexcept { return guard_; }

  // Returns whether there is news to take.
  bool has_news() const noexcept { return has_news_.load(std::memory_order_acquire); }
  // Announces news that the driving thread finds elsewhere: answers of kernels, or news of other parts.
  void announce() {
    threading::lock_guard lock(guard_);
    announce_locked();
  }
  void announce_locked() noexcept { has_news_.store(true, std::memory_order_release); }  // the same, with the guard held
  void put(arrived_value&& came) {
    threading::lock_guard lock(guard_);
    arrivals_.push_back(std::move(came));
    announce_locked();
  }
  // Makes the run end with this cause.
  FLOWGRAPH_COLD void cancel(const error& why) {
    threading::lock_guard lock(guard_);
    cancelled_ = why;
    announce_locked();
  }
  // Moves the arrived values to `arrived`, which must be empty. Returns the cause to end the run, if there is one.
  error take(sequence<arrived_value>& arrived) {
    threading::lock_guard lock(guard_);
    has_news_.store(false, std::memory_order_relaxed);
    arrived.swap(arrivals_);
    return cancelled_;
  }
  void drop_arrivals() { arrivals_.clear(); }

  // Ends the sleep of the driving thread.
  void wake() {
    {
      threading::lock_guard lock(guard_);
      is_woken_ = true;
    }
    wake_.notify_all();
  }
  // Ends the sleep if its condition has come true. Called with the guard held.
  void look_again() { wake_.notify_all(); }
  // Sleeps until wake(), until `have_come` returns true, or until the deadline if it is set. `state` returns the state that others
  // see meanwhile. Before the thread sleeps, it calls `help` as long as that returns true. Returns false if nothing can end the
  // sleep, since there are no threads.
  bool sleep(const steady_time& deadline, function_ref<plan_runner::resting()> state, function_ref<bool()> have_come,
             function_ref<bool()> help);
  // The thread continues after its sleep.
  void rise() {
    threading::lock_guard lock(guard_);
    rests_ = plan_runner::resting::no;
  }
  // Returns the state of the sleeping thread. Called with the guard held.
  plan_runner::resting rests() const noexcept { return is_woken_ ? plan_runner::resting::no : rests_; }

  // Running kernels read whether they are to end.
  std::atomic<bool> is_stopping{false};

private:
  threading::mutex guard_;
  threading::condition_variable wake_;
  bool is_woken_ = false;
  plan_runner::resting rests_ = plan_runner::resting::no;  // set while the thread sleeps
  sequence<arrived_value> arrivals_;
  error cancelled_;
  std::atomic<bool> has_news_{false};
};

}  // namespace flowgraph::detail
