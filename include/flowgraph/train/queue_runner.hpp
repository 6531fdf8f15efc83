#pragma once
// Fills a queue in the background: runs the queue's enqueue op repeatedly, until the input ends or a coordinator requests a stop.
//
//     fg::coordinator workers;
//     fg::queue_runner(ready.filling).start(s, workers, 2);      // two threads
//     while (auto made = s.try_run(fg::fetch(loss), train)) ...  // ends with out_of_range when the queue is closed and empty
//     workers.request_stop();
//     workers.join();
//
// When the input ends (error out_of_range), the queue is closed: its remaining elements can still be taken. After a stop or a
// different error, the queue is closed at once, and all threads of the coordinator end.

#include <flowgraph/ops/input/batch.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/coordinator.hpp>

#include <memory>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A runner of the enqueue ops of a queue, in threads of a coordinator or in the calling thread.
class queue_runner {
public:
  explicit queue_runner(queue_filling filling);

  // Fills the queue in new threads of the coordinator. Each enqueue op runs in `threads` threads. The session must outlive the
  // threads, so create it first.
  void start(session& s, coordinator& workers, int threads = 1) const;
  // Fills the queue in the calling thread until the input ends. If several threads call it, they use the enqueue ops in turn, and
  // the thread that ends last closes the queue. An error is also reported to the coordinator.
  result<void> fill(session& s, coordinator& workers) const;

private:
  struct shared;
  static result<void> fill(const std::shared_ptr<shared>& filling, session& s, stop_token stop);
  static void join(const std::shared_ptr<shared>& filling);

  std::shared_ptr<shared> shared_;
};

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/queue_runner.hpp>
#endif
