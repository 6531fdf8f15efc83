#pragma once
// The functions of an executor that takes part in a run of several parts: it sends, receives, and takes its turn.

#include <flowgraph/runtime/schedule/owned_root.hpp>  // its bodies need the rules of owned_root
#include <flowgraph/runtime/parts/exchange.hpp>
#include <flowgraph/runtime/queue/impl/propagation.hpp>
#include <flowgraph/runtime/parts/run_parts.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Also runs the records that send to other parts and receive from them.
class exchange_runner final : public queue_flow_runner {
public:
  using queue_flow_runner::queue_flow_runner;
  FLOWGRAPH_INLINE void run(std::uint32_t record, iteration& at, threading::unique_lock<threading::mutex>& baton) override;
  // Continues a record that receives, when its value has arrived.
  void land(const ready_queue::item& arrived, bool dead, edge_value&& value);

private:
  void send(const plan_record& r, std::uint32_t edge, iteration& at);
};

FLOWGRAPH_INLINE const flow_rules& rules_of_exchange() {
  static const flow_rules rules = [] {
    flow_rules result = rules_of_flow();
    result.make_runner = +[](executor& of) -> std::unique_ptr<flow_runner> { return std::make_unique<exchange_runner>(of); };
    result.exchanges = true;
    return result;
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
    for (arrived_value& a : part_.landing) static_cast<exchange_runner&>(*flow_).land(a.at, a.dead, std::move(a.value));
  part_.landing.clear();
}

FLOWGRAPH_INLINE void exchange_runner::run(std::uint32_t index, iteration& at, threading::unique_lock<threading::mutex>& baton) {
  const plan_record& r = plan_.records[index];
  if (r.control != control_flow::send && r.control != control_flow::receive) return queue_flow_runner::run(index, at, baton);
  if (!e_.part_.all)
    return e_.fail(e_.named(error(error_code::failed_precondition,
                                  "this node runs only together with the graphs that it sends to or "
                                  "receives from: use fg::run_together"),
                            r, at));
  if (r.control == control_flow::send) return send(r, e_.part_.edges[index], at);
  rendezvous_parcel came;
  if (e_.part_.all->receive(e_.part_.edges[index], at, {&e_, index, &at}, came))
    land({index, &at}, came.dead, std::move(came.value));
}

FLOWGRAPH_INLINE void exchange_runner::send(const plan_record& r, std::uint32_t edge, iteration& at) {
  const bool dead = at.records[r.local].dead > 0;
  rendezvous_parcel given{dead, {}};
  if (!dead && r.input_count > 0) {
    const edge_value* value = moved_input(r, at, 0);
    if (!value) return;
    given.value = *value;
    release_moved();
  }
  if (e_.run_.trace) [[unlikely]] {
    const std::size_t bytes = given.value.tensor.bytes();
    const call_times times = e_.run_.trace->begin_send();
    e_.part_.all->send(edge, at, std::move(given));
    e_.run_.trace->sent(r, at, edge, bytes, times);
  } else {
    e_.part_.all->send(edge, at, std::move(given));
  }
  e_.release_inputs(r, at);
  e_.propagate(r, at, dead);
  --at.outstanding;
  settle(at);
}

FLOWGRAPH_INLINE void exchange_runner::land(const ready_queue::item& arrived, bool dead, edge_value&& value) {
  const plan_record& r = plan_.records[arrived.record];
  iteration& at = *arrived.at;
  if (e_.run_.trace) e_.run_.trace->received(r, at, e_.part_.edges[arrived.record], value.tensor.bytes());
  mark_outputs(r, at, dead ? slot::dead : slot::live);
  if (!dead && r.output_count > 0)
    if (slot& s = at.slots[r.first_slot]; s.planned() > 0) s.value = std::move(value);
  e_.propagate(r, at, dead);
  --at.outstanding;
  settle(at);
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
