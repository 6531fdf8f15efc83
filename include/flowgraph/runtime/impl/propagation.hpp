#pragma once
// What follows when a record has run: its inputs go, and its consumers wait for less.

#include <flowgraph/runtime/executor.hpp>
#include <flowgraph/runtime/flow_rules.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_ALWAYS_INLINE void executor::become_ready(std::uint32_t record, iteration& at) {
  ++at.outstanding;
  ready_.push(record, at);
}

// The record has read its inputs: what nobody else wants goes.
FLOWGRAPH_ALWAYS_INLINE void executor::release_inputs(const plan_record& r, iteration& at) const {
  const input_ref* ref = plan_->inputs.data() + r.first_input;
  slot* slots = at.slots.data();
  for (const input_ref* last = ref + r.input_count; ref != last; ++ref)
    if (!ref->is_constant && slots[ref->index].state() == slot::live) slots[ref->index].read();
}

// `AllLive` says that every output of the record lives, which is then not looked at.
template <bool AllLive> FLOWGRAPH_ALWAYS_INLINE void executor::propagate(const plan_record& r, iteration& to, bool dead) {
  const consumer* c = plan_->consumers.data() + r.first_consumer;
  const slot* slots = to.slots.data() + r.first_slot;
  progress* records = to.records.data();
  for (const consumer* last = c + r.consumer_count; c != last; ++c) {
    const bool edge_dead =
        !AllLive && (c->port < order_port ? slots[c->port].state() == slot::dead : dead && c->port == control_port);
    progress& p = records[c->local];
    if (c->merges) [[unlikely]] {
      if (!choose(*c, p, edge_dead, r)) continue;
    } else if (edge_dead) {
      ++p.dead;
    }
    if (--p.left == 0) become_ready(c->record, to);
  }
}

// A record whose kernel has run: inputs go, consumers hear of it, and its iteration may have ended.
FLOWGRAPH_ALWAYS_INLINE void executor::complete(const ready_record& r) {
  const plan_record& record = plan_->records[r.record];
  iteration& at = *r.at;
  at.records[record.local].left = record.pending;  // as before the run
  release_inputs(record, at);
  slot* s = at.slots.data() + record.first_slot;
  for (slot* last = s + record.output_count; s != last; ++s)
    if (s->planned() == 0) s->release();
  propagate(record, at, false);
  if (--at.outstanding == 0 && at.frame) (this->*plan_->flow->settle)(at);
}

}  // namespace detail

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
