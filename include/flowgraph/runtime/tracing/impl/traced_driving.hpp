#pragma once
// The pump of traced runs. It is separate, since tracing in the plain pump would slow down every run.

#include <flowgraph/runtime/queue/detail/pump.hpp>
#include <flowgraph/runtime/tracing/run_recording.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Records each call on the driving thread. Offloaded kernels are recorded by executor_recording::invoke.
struct executor::trace_hook {
  static constexpr bool is_plain = false, offloads = true;
  executor_recording& to;

  void look(const ready_queue& ready) const { to.note_ready(ready); }
  void take(const ready_record& r) const { to.lane().ready = to.taken(r.record, r.at->frame != nullptr); }

  // Records of control flow run no kernel. Only whole loops are recorded: their iterations have ended when they return.
  void run_flow(executor& e, const ready_record& r, threading::unique_lock<threading::mutex>& baton) const {
    const plan_record& record = e.plan_->records[r.record];
    trace_record event = to.about(record, *r.at, trace_kind::loop);
    event.ready = to.lane().ready;
    event.start = trace_clock();
    e.flow_->run(r.record, *r.at, baton);
    if (record.control != control_flow::loop) return;
    event.end = trace_clock();
    to.lane().add(event);
  }

  void start(executor& e, const ready_record& r) const {
    trace_lane& lane = to.lane();
    lane.now = to.about(e.plan_->records[r.record], *r.at, trace_kind::later);
    e.async_->start(r);
    lane.now = {};
  }

  void run(executor& e, const ready_record& r) const {
    const plan_record& record = e.plan_->records[r.record];
    trace_lane& lane = to.lane();
    trace_record event = to.about(record, *r.at, trace_kind::kernel);
    event.ready = lane.ready;
    lane.now = event;
    event.start = trace_clock();
    const bool ran = e.execute(record, *r.at);
    event.end = trace_clock();
    lane.now = {};
    const slot* out = r.at->slots.data() + record.first_slot;
    lane.described.clear();
    for (std::uint32_t k = 0; k < record.output_count; ++k) {
      event.bytes += out[k].value.tensor.bytes();
      describe_output(out[k].value.tensor, lane.described);
    }
    event.text = to.described();
    lane.add(event);
    if (ran) e.complete(r);
    else e.fail(e.named(e.own_.take_failure(), record, *r.at));
  }
};

FLOWGRAPH_INLINE void executor::pump_traced(executor_recording& to, bool owner, threading::unique_lock<threading::mutex>& baton) {
  pump_with(trace_hook{to}, owner, baton);
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
