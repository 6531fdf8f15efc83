#pragma once

#include <flowgraph/runtime/parts/partitioned_runner.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE std::shared_ptr<plan_runner> partitions::make_runner(std::shared_ptr<const plan> whole,
                                                                      const run_services& services) const {
  return std::make_shared<partitioned_runner>(std::move(whole), *this, services);
}

FLOWGRAPH_INLINE partitioned_runner::partitioned_runner(std::shared_ptr<const plan> whole, const partitions& parts,
                                                        const run_services& services)
    : whole_(std::move(whole)), parts_(parts), pins_(services.pool || whole_->has_async), meeting_(parts.edges.size()),
      ordinals_(whole_->random_nodes.size()) {
  run_services shared = services;
  shared.pins = &pins_;
  if (whole_->has_run_resources) shared.own_resources = &own_resources_.emplace(services.memory);
  for (const plan_part& p : parts.parts) {
    executors_.push_back(std::make_shared<executor>(p.what, services));
    executors_.back()->join(*this, p.edges, shared);
  }
}

FLOWGRAPH_INLINE partitioned_runner::~partitioned_runner() = default;

FLOWGRAPH_INLINE void partitioned_runner::start(const run_options& options, bool in_pieces) {
  options_ = &options;
  in_pieces_ = in_pieces;
  failure_ = {};
  for (std::size_t i = 0; i < executors_.size(); ++i) {
    const plan_part& p = parts_.parts[i];
    for (std::size_t k = 0; k < p.ordinals.size(); ++k) executors_[i]->ordinals()[k] = ordinals_[p.ordinals[k]];
    executors_[i]->start(options, in_pieces);
  }
}

FLOWGRAPH_INLINE void partitioned_runner::feed(std::size_t index, const any_tensor& value) {
  for (std::size_t i = 0; i < executors_.size(); ++i)
    for (std::size_t k = 0; k < parts_.parts[i].feeds.size(); ++k)
      if (parts_.parts[i].feeds[k] == index) executors_[i]->feed(k, value);
}

FLOWGRAPH_INLINE void partitioned_runner::fail(const error& why) {
  {
    std::lock_guard lock(mutex_);
    if (failure_) return;
    failure_ = why;
  }
  for (const auto& e : executors_) e->look_up(true);
  wake();
}

FLOWGRAPH_INLINE void partitioned_runner::wake() {
  {
    std::lock_guard lock(mutex_);
    signal_ = true;
  }
  woken_.notify_all();
}

FLOWGRAPH_INLINE error partitioned_runner::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

FLOWGRAPH_INLINE void partitioned_runner::bring_news(executor& to) { to.take_arrivals(failure()); }

FLOWGRAPH_INLINE void partitioned_runner::send(std::uint32_t edge, const iteration& in, rendezvous_parcel given) {
  const waiting_record waits = meeting_.send(edge, iteration_name::of(in), given);
  if (!waits.by) return;
  waits.by->arrive(waits, given.dead, std::move(given.value));
  wake();
}

FLOWGRAPH_INLINE bool partitioned_runner::receive(std::uint32_t edge, const iteration& in, const waiting_record& where,
                                                  rendezvous_parcel& came) {
  return meeting_.receive(edge, iteration_name::of(in), where, came);
}

// Until a round in which nothing happened: then all has been done that can be, or kernels are out whose answers will wake the run.
FLOWGRAPH_INLINE error partitioned_runner::drive() {
  const stop_registration registration(*options_, on_stop{this});
  for (;;) {
    {
      std::lock_guard lock(mutex_);
      signal_ = false;
    }
    stop_if_asked();
    std::uint32_t out = 0;
    for (const auto& e : executors_) out += e->take_turn(false);
    {
      std::lock_guard lock(mutex_);
      if (signal_) continue;
    }
    if (out == 0) break;
    wait();
  }
  for (const auto& e : executors_) e->take_turn(true);
  if (error why = failure()) return why;
  return in_pieces_ ? error() : never_sent();
}

// Names the node that the run waits for, in whatever part it is.
FLOWGRAPH_INLINE void partitioned_runner::stop_if_asked() {
  if (!is_watched(*options_) || failure()) return;
  const error why = check_stop(*options_);
  if (!why) return;
  for (const auto& e : executors_)
    if (e->fail_while_waiting(why)) return;
  fail(why);
}

FLOWGRAPH_INLINE void partitioned_runner::wait() {
  std::unique_lock lock(mutex_);
  const auto woken = [&] { return signal_; };
  if (options_->deadline.is_set() && !failure_) woken_.wait_until(lock, time_of(options_->deadline), woken);
  else woken_.wait(lock, woken);
}

// Every part takes part in the same iterations, so that what one waits for another sends.
FLOWGRAPH_INLINE error partitioned_runner::never_sent() const {
  const std::uint32_t edge = meeting_.waiting_edge();
  if (edge == no_index) return {};
  const exchange_edge& e = parts_.edges[edge];
  return error(error_code::internal, "the value of this node was to be sent to another device, and never was")
      .at(e.source->name, e.source->op->name, e.source->where);
}

FLOWGRAPH_INLINE result<any_tensor> partitioned_runner::take(std::size_t fetch) {
  const partitions::fetched& f = parts_.fetches[fetch];
  if (f.part == no_index) return whole_->constants[whole_->fetches[fetch].index].tensor;
  return executors_[f.part]->take(f.index);
}

FLOWGRAPH_INLINE error partitioned_runner::missing(std::size_t fetch) const {
  const partitions::fetched& f = parts_.fetches[fetch];
  return f.part == no_index ? error() : executors_[f.part]->missing(f.index);
}

FLOWGRAPH_INLINE void partitioned_runner::end(bool complete) {
  meeting_.clear();
  for (const auto& e : executors_) e->end(complete);
  pins_.release();
  if (own_resources_) own_resources_->clear();
  options_ = nullptr;
}

FLOWGRAPH_INLINE void partitioned_runner::close() {
  for (const auto& e : executors_) e->close();
}

}  // namespace detail

}
}  // namespace flowgraph
