#pragma once
// The parts of a run around the driving: feeds and fetches, errors, and helping threads.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/runtime/queue/impl/mailbox.hpp>
#include <flowgraph/runtime/queue/impl/propagation.hpp>
#include <flowgraph/runtime/parts/run_parts.hpp>
#include <flowgraph/runtime/pause/session_gate.hpp>
#include <flowgraph/runtime/schedule/flow_rules.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE executor::executor(std::shared_ptr<const plan> p, const run_services& services)
    : plan_(std::move(p)), services_(services), devices_(*plan_, services_), pins_(services.pool || plan_->has_async),
      ordinals_(plan_->random_nodes.size()), bindings_(plan_->bindings), frames_(*plan_), ready_(plan_->records.size()),
      own_(*plan_) {
  services_.stopping = &mail_.is_stopping;
  services_.pins = &pins_;
  if (plan_->has_run_resources) services_.own_resources = &own_resources_.emplace(services_.memory);
  devices_.renew();
  root_ = frames_.open(0);
  if (plan_->flow) flow_ = plan_->flow->make_runner(*this);
}

FLOWGRAPH_INLINE std::shared_ptr<plan_runner> make_executor(std::shared_ptr<const plan> p, const run_services& services) {
#ifdef FLOWGRAPH_ALL_INLINE
  if (p->has_async) return make_answering_executor(std::move(p), services);
#endif
  return std::make_shared<executor>(std::move(p), services);
}

FLOWGRAPH_INLINE void executor::start(const run_options& options, bool in_pieces) {
  run_.options = &options;
  run_.by_iteration = in_pieces;
  run_.is_straight = plan_->is_straight && !in_pieces && !part_.all && !services_.pool && !options.trace;
  if (flow_) flow_->watch(is_attended(options) ? &options : nullptr);
  tell_kernels(services_, options);
  if (run_trace* const trace = traced_run::of(options)) run_.trace = trace->join(*plan_, services_);
  devices_.renew();
  devices_.begin();
  run_.failure = {};
  run_.asked = {};
  mail_.is_stopping.store(false, std::memory_order_relaxed);
  run_.sources_started = false;
}

FLOWGRAPH_INLINE void executor::place(std::size_t index, const any_tensor& value) {
  slot& s = root_->slots[plan_->records[plan_->feeds[index]].first_slot];
  s.become(slot::live);
  if (s.planned() > 0) s.value.tensor = value;
}

FLOWGRAPH_INLINE void executor::feed(std::size_t index, const any_tensor& value) {
  place(index, value);
  if (!run_.is_straight) propagate(plan_->records[plan_->feeds[index]], *root_, false);
}

// Sets the error of the run, unless there is one already. The run then starts no more kernels.
FLOWGRAPH_INLINE void executor::fail(const error& why) {
  if (run_.failure) return;
  run_.failure = why;
  mail_.is_stopping.store(true, std::memory_order_relaxed);
  cancel_outstanding();
  if (part_.all) part_.all->fail(why);
}

FLOWGRAPH_INLINE void executor::cancel_outstanding() {
  if (async_) async_->cancel();
}

// Returns the reason for the end of the run. If only asynchronous kernels are left, the error also names the node that the run
// waited for.
FLOWGRAPH_COLD FLOWGRAPH_INLINE error executor::while_waiting(const error& why) {
  return async_ && ready_.empty() ? async_->while_waiting(why) : why;
}

// Ends the run with this cause. If records are left to run, the run fails. If only asynchronous kernels are left, they are
// cancelled: a kernel that has completed by then has done its work (an element of a queue is taken), and the run may still succeed.
FLOWGRAPH_COLD FLOWGRAPH_INLINE void executor::stop(const error& why) {
  if (!ready_.empty()) return fail(run_.asked ? run_.asked : why);
  if (apart_.running == 0) return;
  if (!run_.asked) run_.asked = while_waiting(why);
  mail_.is_stopping.store(true, std::memory_order_relaxed);
  cancel_outstanding();
}

FLOWGRAPH_INLINE void executor::stop_if_asked() {
  if (ready_.empty() && apart_.running == 0) return;
  if (const error why = check_stop(*run_.options)) stop(why);
}

// If the run must end, fails it with this record left to run, and returns true.
FLOWGRAPH_INLINE bool executor::has_ended_before(const ready_record& r) {
  const error why = check_stop(*run_.options);
  if (!why) return false;
  ready_.push(r.record, *r.at);
  stop(why);
  return true;
}

// Returns the error of a run whose kernel has failed. If the kernel was cancelled because the run must end, that is the cause of
// the end.
FLOWGRAPH_COLD FLOWGRAPH_INLINE error executor::failure_of(const error& why, const ready_record& r) const {
  if (run_.asked && why.code() == error_code::cancelled) return run_.asked;
  return named(why, plan_->records[r.record], *r.at);
}

FLOWGRAPH_INLINE void executor::notify() {
  mail_.wake();
  if (part_.all) part_.all->wake();
}

FLOWGRAPH_INLINE error executor::run_to_end() {
  if (run_.is_straight) return walk();
  if (run_.options->measure) return run_.options->measure->drive(*this);
  const stop_registration registration(*run_.options, on_stop{this});
  threading::unique_lock baton(baton_, threading::defer_lock);
  if (services_.pool || plan_->has_async) baton.lock();
  if (!std::exchange(run_.sources_started, true))
    for (const std::uint32_t record : plan_->sources) become_ready(record, *root_);
  go_on(true, baton);
  ++run_.number;
  apart_.helpers = 0;
  return run_.failure;
}

// Brings one more thread to the run: a thread of the pool, or the owner if it sleeps.
FLOWGRAPH_INLINE void executor::summon() {
  notify();
  if (apart_.helpers + 1 >= static_cast<std::uint32_t>(services_.pool->size())) return;
  ++apart_.helpers;
  services_.pool->submit([self = shared_from_this(), run = run_.number] {
    threading::unique_lock baton(self->baton_, threading::defer_lock);
    self->take(baton);
    if (self->run_.number != run) return;  // the run does not wait for a helper that has not begun
    self->go_on(false, baton);
    --self->apart_.helpers;
    self->notify();
  });
}

// The thread with the baton may run a large kernel, so a thread that waits for the baton helps with its blocks.
FLOWGRAPH_INLINE void executor::take(threading::unique_lock<threading::mutex>& baton) {
  while (!baton.try_lock())
    if (!services_.pool || !services_.pool->help()) return baton.lock();
}

FLOWGRAPH_INLINE void executor::wait(threading::unique_lock<threading::mutex>& baton) {
  const bool has_deadline = run_.options->deadline.is_set() && !run_.failure && !run_.asked;
  apart_.owner_sleeps = true;
  const std::uint32_t apart = apart_.running;
  if (baton.owns_lock()) baton.unlock();
  [[maybe_unused]] const bool could_end = mail_.sleep(
      has_deadline ? run_.options->deadline : steady_time(), [&] { return part_.all ? resting::no : state_at_rest(apart); },
      [&] { return have_come(); }, [&] { return services_.pool && services_.pool->help(); });
#ifdef FLOWGRAPH_NO_THREADS
  if (!could_end) stop(nobody_answers());
#endif
  stay_while_held();
  mail_.rise();
  take(baton);
  apart_.owner_sleeps = false;
}

FLOWGRAPH_INLINE void executor::stay_while_held() {
  if (services_.gate) services_.gate->stay_while_held();
}

// Returns the state of the run while it waits for `out` offloaded kernels; async_calls decides for asynchronous kernels.
FLOWGRAPH_INLINE plan_runner::resting executor::state_at_rest(std::uint32_t out) const {
  if (async_) return async_->state_at_rest(out);
  return out == 0 ? resting::to_begin_anew : resting::no;
}

FLOWGRAPH_SELDOM plan_runner::resting executor::rests() {
  threading::lock_guard lock(mail_.guard());
  return have_come() ? resting::no : mail_.rests();
}

FLOWGRAPH_INLINE std::unique_ptr<call_frame> executor::take_frame() {
  if (apart_.frames.empty()) return std::make_unique<call_frame>(*plan_);
  auto f = std::move(apart_.frames.back());
  apart_.frames.pop_back();
  return f;
}

// Not inlined: within pump(), this function and drain() would take registers from the loop, which costs 4 % more instructions per
// node.
FLOWGRAPH_NOT_INLINED void executor::run_apart(const ready_record& r, threading::unique_lock<threading::mutex>& baton) {
  const plan_record& record = plan_->records[r.record];
  auto f = take_frame();
  if (f->prepare(*plan_, record, r.at->slots.data(), r.at->slots.data(), services_) && record.kernel) {
    set_call(*f, record, *r.at);
    ++apart_.running;
    baton.unlock();
    if (run_.trace) run_.trace->invoke(*f, record, *r.at);
    else f->invoke(record);
    take(baton);
    rejoin();
  }
  f->finish();
  const error why = f->take_failure();
  if (why) fail(failure_of(why, r));
  else if (!run_.failure) complete(r);
  apart_.frames.push_back(std::move(f));
  if (apart_.owner_sleeps && !ready_.empty()) notify();  // it helps with the next records
}

// Takes news from other threads: answers of kernels, news of other parts, and a cause to end.
FLOWGRAPH_NOT_INLINED void executor::drain() {
  const error cancelled = mail_.take(part_.landing);
  if (async_) async_->take_answers();
  if (part_.all) part_.all->bring_news(*this);
  if (cancelled && !run_.failure) stop(cancelled);
}

FLOWGRAPH_INLINE error executor::missing(std::size_t fetch) const {
  const input_ref& ref = plan_->fetches[fetch];
  if (ref.is_constant) return {};
  const slot& s = root_->slots[ref.index];
  const plan_record& from = plan_->records[plan_->fetch_records[fetch]];
  const call_site* result = from.kind == record_kind::feed ? nullptr : from.site;
  error why;
  if (s.state() == slot::dead) why = dead_fetch();
  else if (s.state() != slot::live)
    why = invalid_argument("the fetched edge was not computed: it needs edges that have not been fed");
  else if (any_tensor now; ref.dereference) fetch_value(s.value, true, *from.site, services_, now, why);
  return why && result ? failed_at(why, *result) : why;
}

FLOWGRAPH_INLINE bool executor::is_known(std::size_t fetch) const {
  const input_ref& ref = plan_->fetches[fetch];
  return ref.is_constant || root_->slots[ref.index].state() == slot::live || root_->slots[ref.index].state() == slot::dead;
}

FLOWGRAPH_INLINE result<any_tensor> executor::take(std::size_t fetch) {
  if (error why = missing(fetch)) return why;
  const input_ref& ref = plan_->fetches[fetch];
  if (ref.is_constant) return plan_->constants[ref.index].tensor;
  slot& s = root_->slots[ref.index];
  any_tensor value;
  error why;
  fetch_value(s.value, ref.dereference, *plan_->records[plan_->fetch_records[fetch]].site, services_, value, why);
  s.read();
  return value;
}

FLOWGRAPH_INLINE void executor::cancel(const error& why) {
  mail_.cancel(why);
  mail_.is_stopping.store(true, std::memory_order_relaxed);
  notify();
}

FLOWGRAPH_INLINE void executor::close() {
  threading::lock_guard baton(baton_);
  own_.release();
  apart_.frames.clear();
  {
    threading::lock_guard lock(mail_.guard());
    async_.reset();
  }
  flow_.reset();
  bindings_.clear();
  plan_.reset();  // constants may be in memory of devices; a waiting helper may keep this executor longer than they live
}

FLOWGRAPH_INLINE void executor::end(bool complete) {
  if (complete && !run_.failure && !plan_->has_control_flow()) {
    for (const input_ref& f : plan_->fetches)
      if (!f.is_constant) root_->slots[f.index].become(slot::empty);
  } else {
    frames_.reset();
    root_ = frames_.open(0);
  }
  ready_.clear();
  mail_.drop_arrivals();
  pins_.release();
  if (own_resources_) own_resources_->clear();
  run_.trace.reset();
  run_.options = nullptr;
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
