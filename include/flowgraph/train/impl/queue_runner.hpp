#pragma once

#include <flowgraph/train/queue_runner.hpp>

#include <atomic>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The state that the threads share that fill one queue.
struct queue_runner::shared {
  explicit shared(queue_filling f) : filling(std::move(f)) {}

  const queue_filling filling;
  std::atomic<std::int64_t> begun{0};  // runs of `enqueue`
  std::atomic<int> threads{0};         // threads that fill the queue
  std::atomic<std::size_t> joined{0};  // threads that have started: each takes the next `enqueue` of the list
  std::atomic<bool> is_broken{false};  // a thread was stopped, or has failed
};

FLOWGRAPH_INLINE queue_runner::queue_runner(queue_filling filling) : shared_(std::make_shared<shared>(std::move(filling))) {}

FLOWGRAPH_INLINE void queue_runner::join(const std::shared_ptr<shared>& filling) { ++filling->threads; }

// Fills the queue. The last thread closes it: after all waiting elements if the input has ended, otherwise at once.
FLOWGRAPH_INLINE result<void> queue_runner::fill(const std::shared_ptr<shared>& filling, session& s, stop_token stop) {
  const queue_filling& f = filling->filling;
  const std::size_t way = filling->joined++ % (f.also.size() + 1);
  const target& enqueue = way == 0 ? f.enqueue : f.also[way - 1];
  result<void> outcome;
  while (outcome && !stop.stop_requested() && (f.times < 0 || filling->begun++ < f.times))
    outcome = s.try_run(enqueue, {}, {.stop = stop});
  const bool is_at_end = outcome ? !stop.stop_requested() : outcome.error().code() == error_code::out_of_range;
  const bool is_stopped = stop.stop_requested();
  if (!is_at_end) filling->is_broken = true;
  if (--filling->threads == 0) {
    const auto closed = s.try_run(filling->is_broken ? f.cancel : f.close);  // it may have been closed already, which is no error
    if (!closed && closed.error().code() != error_code::cancelled && outcome) outcome = closed;
  }
  if (is_at_end || is_stopped) return {};
  return outcome.error().because(error(error_code::unknown, message{"filling of '", f.name, "' has ended"}));
}

FLOWGRAPH_INLINE void queue_runner::start(session& s, coordinator& workers, int threads) const {
  const int all = threads * static_cast<int>(shared_->filling.also.size() + 1);
  for (int i = 0; i < all; ++i) join(shared_);
  for (int i = 0; i < all; ++i)
    workers.start(message{"filling of '", shared_->filling.name, "'"}, [filling = shared_, &s, &workers](stop_token stop) {
      if (result<void> outcome = fill(filling, s, std::move(stop)); !outcome) workers.fail(outcome.error());
    });
  // A thread that could not be started has requested a stop and never closes the queue.
  if (workers.stop_requested()) (void)s.try_run(shared_->filling.cancel);
}
FLOWGRAPH_INLINE result<void> queue_runner::fill(session& s, coordinator& workers) const {
  join(shared_);
  result<void> outcome;
  workers.work_here([&](stop_token stop) { outcome = fill(shared_, s, std::move(stop)); }, shared_->filling.name);
  if (!outcome) workers.fail(outcome.error());
  return outcome;
}

}  // namespace flowgraph
