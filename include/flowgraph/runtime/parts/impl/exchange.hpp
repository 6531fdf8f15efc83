#pragma once
// The functions of an executor that takes part in a run of several parts: it sends, receives, and takes its turn.

#include <flowgraph/runtime/schedule/owned_root.hpp>  // its bodies need the rules of owned_root
#include <flowgraph/runtime/parts/exchange.hpp>
#include <flowgraph/runtime/queue/impl/propagation.hpp>
#include <flowgraph/runtime/parts/run_parts.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE const flow_rules& rules_of_exchange() {
  static const flow_rules rules = [] {
    flow_rules made = rules_of_flow();
    made.run = &executor::run_exchange;
    made.exchanges = true;
    return made;
  }();
  return rules;
}

FLOWGRAPH_INLINE void executor::join(run_parts& all, std::span<const std::uint32_t> edges, const run_services* shared) {
  part_.all = &all;
  part_.edges = edges.data();
  if (!shared) return;
  services_.pins = shared->pins;
  services_.own_resources = shared->own_resources;
  devices_.renew();
}

FLOWGRAPH_INLINE void executor::leave() {
  part_.all = nullptr;
  part_.edges = nullptr;
}

FLOWGRAPH_INLINE std::uint32_t executor::take_turn(bool is_last) {
  stay_while_held();
  threading::unique_lock baton(baton_, threading::defer_lock);
  if (services_.pool || plan_->has_async) take(baton);
  if (is_last) {
    ++run_.number;
    apart_.helpers = 0;
    return 0;
  }
  if (!std::exchange(run_.sources_started, true))
    for (const std::uint32_t record : plan_->sources) become_ready(record, *root_);
  go_on(false, baton);
  part_.left_running = apart_.running;
  return apart_.running;
}

FLOWGRAPH_INLINE plan_runner::resting executor::only_waits() {
  threading::lock_guard lock(mail_.guard());
  return state_at_rest(part_.left_running);
}

FLOWGRAPH_INLINE void executor::arrive(const waiting_record& at, bool dead, edge_value&& value) {
  mail_.put({{at.record, at.at}, dead, std::move(value)});
}

FLOWGRAPH_INLINE void executor::look_up(bool to_stop) {
  if (to_stop) mail_.is_stopping.store(true, std::memory_order_relaxed);
  mail_.announce();
}

FLOWGRAPH_INLINE void executor::take_arrivals(const error& failed_elsewhere) {
  if (failed_elsewhere && !run_.failure) fail(failed_elsewhere);
  if (!run_.failure)
    for (arrived_value& a : part_.landing) land(a.at, a.dead, std::move(a.value));
  part_.landing.clear();
}

FLOWGRAPH_INLINE void executor::run_exchange(std::uint32_t index, iteration& at,
                                             threading::unique_lock<threading::mutex>& baton) {
  const plan_record& r = plan_->records[index];
  if (r.control != control_flow::send && r.control != control_flow::receive) return run_control(index, at, baton);
  if (!part_.all)
    return fail(named(error(error_code::failed_precondition,
                            "this node runs only together with the graphs that it sends to or "
                            "receives from: use fg::run_together"),
                      r, at));
  if (r.control == control_flow::send) return send(r, part_.edges[index], at);
  rendezvous_parcel came;
  if (part_.all->receive(part_.edges[index], at, {this, index, &at}, came)) land({index, &at}, came.dead, std::move(came.value));
}

FLOWGRAPH_INLINE void executor::send(const plan_record& r, std::uint32_t edge, iteration& at) {
  const bool dead = at.records[r.local].dead > 0;
  rendezvous_parcel given{dead, {}};
  if (!dead && r.input_count > 0) {
    const edge_value* value = moved_input(r, at, 0);
    if (!value) return;
    given.value = *value;
    if (moved_[0].tensor.has_value()) moved_[0].tensor.reset();
  }
  if (run_.trace) [[unlikely]] {
    const std::size_t bytes = given.value.tensor.bytes();
    const call_times times = run_.trace->begin_send();
    part_.all->send(edge, at, std::move(given));
    run_.trace->sent(r, at, edge, bytes, times);
  } else {
    part_.all->send(edge, at, std::move(given));
  }
  release_inputs(r, at);
  propagate(r, at, dead);
  --at.outstanding;
  settle(at);
}

FLOWGRAPH_INLINE void executor::land(const ready_record& arrived, bool dead, edge_value&& value) {
  const plan_record& r = plan_->records[arrived.record];
  iteration& at = *arrived.at;
  if (run_.trace) run_.trace->received(r, at, part_.edges[arrived.record], value.tensor.bytes());
  mark_outputs(r, at, dead ? slot::dead : slot::live);
  if (!dead && r.output_count > 0)
    if (slot& s = at.slots[r.first_slot]; s.planned() > 0) s.value = std::move(value);
  propagate(r, at, dead);
  --at.outstanding;
  settle(at);
}

}  // namespace detail

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
