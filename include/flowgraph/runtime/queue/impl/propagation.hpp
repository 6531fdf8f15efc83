#pragma once
// The work after a record has run: its inputs are released, and its consumers wait for one input less.

#include <flowgraph/runtime/queue/executor.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_ALWAYS_INLINE void executor::become_ready(std::uint32_t record, iteration& at) {
  if (at.frame) ++at.outstanding;
  ready_.push(record, at);
}

// Marks the record's inputs as read. Values without further readers are released.
FLOWGRAPH_ALWAYS_INLINE void executor::release_inputs(const plan_record& r, iteration& at) const {
  const input_ref* ref = plan_->inputs.data() + r.first_input;
  slot* slots = at.slots.data();
  for (const input_ref* last = ref + r.input_count; ref != last; ++ref)
    if (!ref->is_constant && slots[ref->index].state() == slot::live) slots[ref->index].read();
}

// `AllLive` says that all outputs of the record are alive; they are then not checked.
template <bool AllLive> FLOWGRAPH_ALWAYS_INLINE void executor::propagate(const plan_record& r, iteration& to, bool dead) {
  const consumer* c = plan_->consumers.data() + r.first_consumer;
  const slot* slots = to.slots.data() + r.first_slot;
  progress* records = to.records.data();
  for (const consumer* last = c + r.consumer_count; c != last; ++c) {
    const bool edge_dead =
        !AllLive && (c->port < order_port ? slots[c->port].state() == slot::dead : dead && c->port == control_port);
    progress& p = records[c->local];
    if (c->merges) [[unlikely]] {
      if (!flow_runner::choose(*plan_, *c, p, edge_dead, r)) continue;
    } else if (edge_dead) {
      ++p.dead;
    }
    if (--p.left == 0) become_ready(c->record, to);
  }
}

// Completes a record whose kernel has run: releases its inputs, notifies its consumers, and ends its iteration if it was the last.
FLOWGRAPH_ALWAYS_INLINE void executor::complete(const ready_record& r) {
  const plan_record& record = plan_->records[r.record];
  iteration& at = *r.at;
  at.records[record.local].left = record.pending;  // as before the run
  release_inputs(record, at);
  slot* s = at.slots.data() + record.first_slot;
  for (slot* last = s + record.output_count; s != last; ++s)
    if (s->planned() == 0) s->release();
  propagate(record, at, false);
  if (at.frame && --at.outstanding == 0) flow_->settle(at);
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
