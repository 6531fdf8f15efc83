#pragma once
// Fills a queue in the background: runs its enqueue again and again, until the input ends or a coordinator asks it to stop.
//
//     fg::coordinator workers;
//     fg::queue_runner(ready.filling).start(s, workers, 2);      // two threads
//     while (auto made = s.try_run(fg::fetch(loss), train)) ...  // ends with out_of_range, when the queue is closed and empty
//     workers.request_stop();
//     workers.join();
//
// The end of the input, an error out_of_range, closes the queue: what is in it is still taken. A stop, or another error, closes it at once
// and ends all that the coordinator coordinates.

#include <flowgraph/ops/input/batch.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/train/coordinator.hpp>

#include <memory>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

// Runs the enqueue of a queue, in threads of a coordinator or in the caller's.
class queue_runner {
public:
  explicit queue_runner(queue_filling filling);

  // Fills the queue in so many new threads of the coordinator, of each way to put in. The session outlives them: make it first.
  void start(session& s, coordinator& workers, int threads = 1) const;
  // Fills the queue in the calling thread until that ends; of several threads that do so, the last one closes the queue. They take the
  // ways to put in by turns. Its error is the coordinator's too.
  result<void> fill(session& s, coordinator& workers) const;

private:
  struct shared;
  static result<void> fill(const std::shared_ptr<shared>& filling, session& s, stop_token stop);
  static void join(const std::shared_ptr<shared>& filling);

  std::shared_ptr<shared> shared_;
};

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/train/impl/queue_runner.hpp>
#endif
