#pragma once
// The way from record to record where each is written down. One of its own, as that of measured_driving.hpp: other runs know nothing
// of it.

#include <flowgraph/runtime/impl/propagation.hpp>
#include <flowgraph/runtime/tracing/run_recording.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE void executor::pump_traced(executor_recording& to, bool owner, threading::unique_lock<threading::mutex>& baton) {
  trace_lane& lane = to.lane();
  const bool watched = is_watched(*options_);
  for (;;) {
    if (has_answers_.load(std::memory_order_acquire)) drain();
    if (watched && !failure_) stop_if_asked();
    if (failure_) ready_.clear();
    to.note_ready(ready_);
    if (ready_.empty()) {
      if (!owner || apart_ == 0) return;
      wait(baton);
      continue;
    }
    const ready_record r = ready_.pop(root_);
    lane.ready = to.taken(r.record, r.at->frame != nullptr);
    const plan_record& record = plan_->records[r.record];
    const bool is_dead = r.at->records[record.local].dead > 0;
    const bool may_go_apart = services_.pool && (!ready_.empty() || apart_ > 0);
    if (record.control != control_flow::none || is_dead) {
      run_flow_traced(r, to, baton);
    } else if (record.is_async) {
      lane.now = to.about(record, *r.at, trace_kind::later);
      async_->start(r);
      lane.now = {};
    } else if (may_go_apart && is_expensive(r)) {
      if (!ready_.empty()) summon();
      run_apart(r, baton);
    } else {
      run_traced(r, to);
    }
  }
}

FLOWGRAPH_INLINE void executor::run_traced(const ready_record& r, executor_recording& to) {
  const plan_record& record = plan_->records[r.record];
  trace_lane& lane = to.lane();
  trace_record made = to.about(record, *r.at, trace_kind::kernel);
  made.ready = lane.ready;
  lane.now = made;
  made.start = trace_clock();
  const bool ran = execute(record, *r.at);
  made.end = trace_clock();
  lane.now = {};
  const slot* out = r.at->slots.data() + record.first_slot;
  lane.described.clear();
  for (std::uint32_t k = 0; k < record.output_count; ++k) {
    made.bytes += out[k].value.tensor.bytes();
    describe_output(out[k].value.tensor, lane.described);
  }
  made.text = to.described();
  lane.add(made);
  if (ran) complete(r);
  else fail(named(own_.take_failure(), record, *r.at));
}

// Of what moves values without a kernel only whole loops are written down: their iterations have closed when they end.
FLOWGRAPH_INLINE void executor::run_flow_traced(const ready_record& r, executor_recording& to,
                                                threading::unique_lock<threading::mutex>& baton) {
  const plan_record& record = plan_->records[r.record];
  trace_record made = to.about(record, *r.at, trace_kind::loop);
  made.ready = to.lane().ready;
  made.start = trace_clock();
  (this->*plan_->flow->run)(r.record, *r.at, baton);
  if (record.control != control_flow::loop) return;
  made.end = trace_clock();
  to.lane().add(made);
}

}  // namespace detail

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
