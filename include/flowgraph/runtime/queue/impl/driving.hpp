#pragma once
// Executes records on the driving thread: kernels, bound resources, straight plans, and the pump of unobserved runs.

#include <flowgraph/runtime/queue/detail/pump.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns whether the kernel's work is long compared to waking a thread, so that passing on the baton is worthwhile.
FLOWGRAPH_INLINE bool executor::is_expensive(const ready_record& r) const {
  const plan_record& record = plan_->records[r.record];
  std::size_t bytes = 0;
  for (std::uint32_t k = 0; k < record.input_count; ++k) {
    const input_ref& ref = plan_->inputs[record.first_input + k];
    bytes += ref.is_constant ? plan_->constants[ref.index].tensor.bytes() : r.at->slots[ref.index].value.tensor.bytes();
  }
  return bytes >= worth_a_thread(*record.entry);
}

FLOWGRAPH_INLINE void executor::set_call(call_frame& f, const plan_record& r, const iteration& at) const {
  number_random(f.call, r.ordinal == no_index ? random_ordinal() : ordinals_[r.ordinal], at.key);
}

FLOWGRAPH_INLINE bool executor::bind(const plan_record& record, iteration& at) {
  slot& out = at.slots[record.first_slot];
  const auto look_up = [&] {
    return own_.prepare(*plan_, record, at.slots.data(), at.slots.data(), services_) && own_.invoke(record);
  };
  out.become(slot::live);
  return bind_resource(bindings_[record.binding], services_, out.value, own_.bound, look_up);
}

// Runs one record with the call frame of the driving thread. Returns false if it failed; the error is then in own_.failure.
FLOWGRAPH_INLINE bool executor::execute(const plan_record& record, iteration& at) {
  if (record.binding != no_index) return bind(record, at);
  bool ran = own_.prepare(*plan_, record, at.slots.data(), at.slots.data(), services_);
  if (record.ordinal != no_index) set_call(own_, record, at);
  if (ran && record.kernel) ran = own_.invoke(record);
  own_.finish();
  return ran;
}

// Runs a record of the most common kind from start to end, without the checks for other kinds.
FLOWGRAPH_ALWAYS_INLINE void executor::run_simple(const plan_record& record, iteration& at, progress& waits) {
  const plan& p = *plan_;
  slot* slots = at.slots.data();
  slot& out = slots[record.first_slot];
  // A large graph does not fit into the processor's caches, so this prefetches the inputs of records that run later. These records
  // may run in another iteration, and there may be none after the last records: a prefetch does not access memory, so this is
  // harmless. The code is not in a function of its own: g++ would consider calls of a function that only prefetches useless, and
  // remove them.
  const auto address = [slots](const input_ref& in) {
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(slots) + in.index * sizeof(slot));
  };
  const input_ref* ref = p.inputs.data() + record.first_input;
  FLOWGRAPH_FETCH(address(ref[plan::inputs_ahead - 1]));
  FLOWGRAPH_FETCH(address(ref[plan::inputs_ahead - 2]));
  if (!own_.prepare_simple(p, record, slots, out, services_) || !own_.invoke_simple(record)) [[unlikely]]
    return fail(named(own_.take_failure(), record, at));
  waits.left = record.pending;
  for (const input_ref* last = ref + record.input_count; ref != last; ++ref)
    if (!ref->is_constant) slots[ref->index].read();
  if (out.planned() == 0) out.release();
  propagate<true>(record, at, false);
  if (at.frame && --at.outstanding == 0) flow_->settle(at);
}

FLOWGRAPH_INLINE void executor::pump(bool owner, threading::unique_lock<threading::mutex>& baton) {
  pump_with(plain_hook{}, owner, baton);
}

FLOWGRAPH_INLINE error executor::walk() {
  const bool watched = is_watched(*run_.options);
  const stop_registration registration(*run_.options, on_stop{this});
  slot* slots = root_->slots.data();
  for (const plan_record& r : std::span(plan_->records).subspan(plan_->feeds.size())) {
    if (watched)
      if (error why = check_stop(*run_.options)) return run_.failure = why;
    if (!execute(r, *root_)) return run_.failure = named(own_.take_failure(), r, *root_);
    release_inputs(r, *root_);
    for (std::uint32_t k = 0; k < r.output_count; ++k)
      if (slots[r.first_slot + k].uses == 0) slots[r.first_slot + k].release();
  }
  return {};
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
