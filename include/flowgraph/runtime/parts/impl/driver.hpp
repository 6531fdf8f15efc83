#pragma once

#include <flowgraph/runtime/parts/driver.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE void parts_driver::add(std::shared_ptr<executor> part, std::span<const std::uint32_t> edges,
                                        const run_services* shared) {
  part->join(*this, edges, shared);
  executors_.push_back(std::move(part));
}

FLOWGRAPH_INLINE void parts_driver::start(const run_options& options, bool in_pieces) {
  options_ = &options;
  for (const auto& e : executors_) e->start(options, in_pieces);
  {
    threading::lock_guard lock(mutex_);
    failure_ = cancelled_;
    fails_.store(static_cast<bool>(failure_), std::memory_order_release);
  }
  if (failure())
    for (const auto& e : executors_) e->look_up(true);
}

FLOWGRAPH_INLINE void parts_driver::cancel(const error& why) {
  {
    threading::lock_guard lock(mutex_);
    cancelled_ = why;
  }
  fail(why);
}

FLOWGRAPH_INLINE void parts_driver::fail(const error& why) {
  {
    threading::lock_guard lock(mutex_);
    if (failure_) return;
    failure_ = why;
    fails_.store(true, std::memory_order_release);
  }
  for (const auto& e : executors_) e->look_up(true);
  wake();
}

FLOWGRAPH_INLINE void parts_driver::wake() {
  signal_.store(true);  // seq_cst like `sleeps_`: this thread sees that the driver sleeps, or the driver sees the signal
  if (!sleeps_.load()) return;
  threading::lock_guard lock(mutex_);
  woken_.notify_all();
}

FLOWGRAPH_INLINE error parts_driver::failure() const {
  if (!fails_.load(std::memory_order_acquire)) return {};
  threading::lock_guard lock(mutex_);
  return failure_;
}

FLOWGRAPH_INLINE void parts_driver::bring_news(executor& to) { to.take_arrivals(failure()); }

FLOWGRAPH_INLINE void parts_driver::send(std::uint32_t edge, const iteration& in, rendezvous_parcel&& given) {
  const waiting_record waits = meeting_.send(edge, iteration_name::of(in), given);
  if (!waits.by) return;
  waits.by->arrive(waits, given.dead, std::move(given.value));
  wake();
}

FLOWGRAPH_INLINE bool parts_driver::receive(std::uint32_t edge, const iteration& in, const waiting_record& where,
                                            rendezvous_parcel& came) {
  return meeting_.receive(edge, iteration_name::of(in), where, came);
}

// Drives the parts in rounds until nothing has happened in a round. Then either all possible work is done, or offloaded kernels are
// still running, whose answers will wake the run. After the deadline, each part has cancelled its kernels in that round.
FLOWGRAPH_INLINE error parts_driver::drive() {
  const stop_registration registration(*options_, on_stop{this});
  for (;;) {
    signal_.store(false);
    const bool is_late = options_->deadline.has_passed();
    std::uint32_t out = 0;
    for (const auto& e : executors_) out += e->take_turn(false);
    if (signal_.load()) continue;
    if (out == 0) break;
    wait(!is_late);
  }
  for (const auto& e : executors_) e->take_turn(true);
  error why = failure();
  for (const auto& e : executors_) why = e->finish_devices(std::move(why));
  return why;
}

FLOWGRAPH_INLINE void parts_driver::wait(bool until_deadline) {
  using resting = plan_runner::resting;
  auto state = resting::to_begin_anew;
  for (const auto& e : executors_) {
    const resting part = e->only_waits();
    if (part == resting::no || state == resting::to_begin_anew) state = part;
    if (part == resting::no) break;
  }
  threading::unique_lock lock(mutex_);
  rests_ = state;
  sleeps_.store(true);
  const auto woken = [&] { return signal_.load(); };
  if (until_deadline && options_->deadline.is_set() && !failure_) woken_.wait_until(lock, time_of(options_->deadline), woken);
  else woken_.wait(lock, woken);
#ifdef FLOWGRAPH_NO_THREADS
  const bool is_stuck = !(until_deadline && options_->deadline.is_set()) && !woken();
#endif
  sleeps_.store(false);
  lock.unlock();
  executors_.front()->stay_while_held();
  lock.lock();
  rests_ = resting::no;
#ifdef FLOWGRAPH_NO_THREADS
  lock.unlock();
  if (is_stuck) fail(nobody_answers());
#endif
}

FLOWGRAPH_SELDOM plan_runner::resting parts_driver::rests() {
  threading::lock_guard lock(mutex_);
  const bool has_news = signal_.load() || std::ranges::any_of(executors_, [](const auto& e) { return e->has_news(); });
  return has_news ? plan_runner::resting::no : rests_;
}

FLOWGRAPH_INLINE void parts_driver::end(bool complete) {
  meeting_.clear();
  for (const auto& e : executors_) e->end(complete);
  options_ = nullptr;
}

FLOWGRAPH_INLINE void parts_driver::release() {
  for (const auto& e : executors_) e->leave();
}

}  // namespace flowgraph::detail
