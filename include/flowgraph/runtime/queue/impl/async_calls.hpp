#pragma once

#include <flowgraph/core/thread_pool.hpp>
#include <flowgraph/op/call_kernel.hpp>
#include <flowgraph/op/completion.hpp>
#include <flowgraph/runtime/queue/async_calls.hpp>
#include <flowgraph/runtime/queue/impl/propagation.hpp>
#include <flowgraph/runtime/parts/run_parts.hpp>

#include <list>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class executor::own_async_calls final : public async_calls {
public:
  explicit own_async_calls(executor& of) : of_(of) {}

  FLOWGRAPH_INLINE void start(const ready_record& r) override;
  FLOWGRAPH_INLINE void take_answers() override;
  FLOWGRAPH_INLINE void cancel() override;
  FLOWGRAPH_COLD FLOWGRAPH_INLINE error while_waiting(const error& why) override;
  bool have_come() const override { return !answers_.empty(); }
  FLOWGRAPH_INLINE resting state_at_rest(std::uint32_t out) const override;

private:
  // A call, from its start until the driving thread has taken the answer. Many kernels answer while they start.
  struct call {
    enum class phase : std::uint8_t { starting, out, answered };

    ready_record record = {};
    std::unique_ptr<call_frame> frame = {};
    std::shared_ptr<completion> state = {};
    error why = {};  // the error of the answer
    call_times times = {};
    std::atomic<phase> now{phase::starting};
  };
  using place = std::list<call>::iterator;

  place take_call(const ready_record& r);
  static void start_kernel(const plan_record& record, call& c);
  void answer(place at, error&& why);
  void take_answer(std::list<call>& from, place at);

  executor& of_;
  std::list<call> spare_, starting_;       // spare_: for later starts; starting_: calls whose start has not returned
  std::list<call> outstanding_, answers_;  // guarded by the mailbox: an answer moves its call from outstanding_ to answers_
};

FLOWGRAPH_INLINE std::shared_ptr<plan_runner> make_answering_executor(std::shared_ptr<const plan> p,
                                                                      const run_services& services) {
  auto result = std::make_shared<executor>(std::move(p), services);
  result->async_ = std::make_unique<executor::own_async_calls>(*result);
  return result;
}

FLOWGRAPH_INLINE void executor::own_async_calls::cancel() {
  sequence<std::shared_ptr<completion>> list;
  {
    threading::lock_guard lock(of_.mail_.guard());
    for (const call& c : outstanding_) list.push_back(c.state);
  }
  for (const auto& c : list) c->cancel();
}

FLOWGRAPH_INLINE error executor::own_async_calls::while_waiting(const error& why) {
  threading::lock_guard lock(of_.mail_.guard());
  if (outstanding_.empty()) return why;
  const ready_record& r = outstanding_.front().record;
  return of_.named(error(why.code(), message{why.message(), " while it waited for this node"}), of_.plan_->records[r.record],
                   *r.at);
}

FLOWGRAPH_INLINE plan_runner::resting executor::own_async_calls::state_at_rest(std::uint32_t out) const {
  if (!answers_.empty() || outstanding_.size() != out) return resting::no;
  resting result = resting::to_begin_anew;
  for (const call& c : outstanding_) {
    const waiting waits = c.state->waits.load(std::memory_order_relaxed);
    if (waits == waiting::no) return resting::no;
    if (waits == waiting::saved) result = resting::to_go_on;
  }
  return result;
}

// Returns a call for a record. Calls that have ended are used again, and so is their state if the kernel does not hold it any
// more.
FLOWGRAPH_INLINE executor::own_async_calls::place executor::own_async_calls::take_call(const ready_record& r) {
  if (spare_.empty()) spare_.emplace_back();
  starting_.splice(starting_.begin(), spare_, spare_.begin());
  const auto at = starting_.begin();
  at->record = r;
  at->now.store(call::phase::starting, std::memory_order_relaxed);
  if (of_.run_.trace) at->times = of_.run_.trace->begin_async();
  if (at->state && at->state.use_count() == 1) {
    threading::lock_guard lock(at->state->mutex);
    at->state->answered = at->state->cancelled = false;
    at->state->waits.store(waiting::no, std::memory_order_relaxed);
  } else {
    at->state = std::make_shared<completion>([this, at](error&& why) { answer(at, std::move(why)); });
  }
  return at;
}

// Processes an answer, from any thread. If the answer comes before the start has returned, the starting thread processes it.
FLOWGRAPH_INLINE void executor::own_async_calls::answer(place at, error&& why) {
  using phase = call::phase;
  at->why = std::move(why);
  if (of_.run_.trace) {
    threading::lock_guard lock(of_.mail_.guard());
    of_.run_.trace->answered(of_.plan_->records[at->record.record], *at->record.at, at->times);
  }
  if (at->now.exchange(phase::answered, std::memory_order_acq_rel) == phase::starting) return;
  threading::lock_guard lock(of_.mail_.guard());
  answers_.splice(answers_.end(), outstanding_, at);
  of_.mail_.announce_locked();
  of_.mail_.look_again();
  if (of_.part_.all) of_.part_.all->wake();
}

FLOWGRAPH_INLINE void executor::own_async_calls::start_kernel(const plan_record& record, call& c) {
#ifdef FLOWGRAPH_EXCEPTIONS
  try {
    record.entry->start(record.attributes, c.frame->call, done(c.state));
  } catch (...) {
    report_exception(c.frame->call);
    if (c.now.load(std::memory_order_acquire) == call::phase::answered) c.why = {};  // it says only that `done` was dropped
  }
#else
  record.entry->start(record.attributes, c.frame->call, done(c.state));
#endif
}

FLOWGRAPH_INLINE void executor::own_async_calls::start(const ready_record& r) {
  using phase = call::phase;
  const plan& p = *of_.plan_;
  const plan_record& record = p.records[r.record];
  auto f = of_.take_frame();
  if (!f->prepare(p, record, r.at->slots.data(), r.at->slots.data(), of_.services_)) {
    f->finish();
    return of_.fail(of_.named(f->take_failure(), record, *r.at));
  }
  of_.set_call(*f, record, *r.at);
  ++of_.apart_.running;
  call_frame* kept = f.get();
  const auto at = take_call(r);
  at->frame = std::move(f);
  if (const auto run = record.entry->run) {
    record.on->pool()->submit([run, op = record.attributes, call = &kept->call, answer = done(at->state)]() mutable {
      call_kernel(run, op, *call);
      answer();
    });
  } else {
    start_kernel(record, *at);
  }
  if (at->now.load(std::memory_order_acquire) != phase::answered) {
    threading::lock_guard lock(of_.mail_.guard());
    outstanding_.splice(outstanding_.end(), starting_, at);
    if (at->now.exchange(phase::out, std::memory_order_acq_rel) != phase::answered) return;
    starting_.splice(starting_.begin(), outstanding_, at);
  }
  take_answer(starting_, at);
}

FLOWGRAPH_INLINE void executor::own_async_calls::take_answer(std::list<call>& from, place at) {
  --of_.apart_.running;
  at->frame->finish();
  if (!at->why && !at->frame->failure && !of_.run_.failure) at->frame->check_outputs(of_.plan_->records[at->record.record]);
  if (!at->why) at->why = at->frame->take_failure();
  if (const error why = std::move(at->why)) of_.fail(of_.failure_of(why, at->record));
  else if (!of_.run_.failure) of_.complete(at->record);
  of_.apart_.frames.push_back(std::move(at->frame));
  spare_.splice(spare_.begin(), from, at);
}

FLOWGRAPH_INLINE void executor::own_async_calls::take_answers() {
  std::list<call> list;
  {
    threading::lock_guard lock(of_.mail_.guard());
    list.swap(answers_);
  }
  while (!list.empty()) take_answer(list, list.begin());
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
