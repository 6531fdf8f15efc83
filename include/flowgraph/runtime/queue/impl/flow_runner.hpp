#pragma once
// Switch and Merge, the start, iterations and end of loops, and the propagation of dead values.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/queue/flow_runner.hpp>
#include <flowgraph/runtime/queue/impl/propagation.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE queue_flow_runner::queue_flow_runner(executor& of)
    : e_(of), plan_(*of.plan_), setting_{of.plan_.get(), &of.services_, nullptr, of.ordinals_.data()} {}

FLOWGRAPH_INLINE void queue_flow_runner::mark_outputs(const plan_record& r, iteration& at, slot::content state) const {
  for (std::uint32_t k = 0; k < r.output_count; ++k) at.slots[r.first_slot + k].become(state);
}

FLOWGRAPH_INLINE bool flow_runner::choose(const plan& of, const consumer& c, progress& p, bool dead, const plan_record& from) {
  if (p.chosen != progress::none) return false;
  if (!dead) {
    p.chosen = c.input;
    return true;
  }
  // After a dead Enter nothing else will come: the loop is on a branch that was not taken.
  if (++p.dead < of.records[c.record].data_inputs && from.control != control_flow::enter) return false;
  p.chosen = progress::all_dead;
  return true;
}

// Returns the constant input of a Merge. A Merge that waited for no data has such an input.
FLOWGRAPH_INLINE std::uint32_t queue_flow_runner::constant_input(const plan_record& merge) const {
  std::uint32_t k = 0;
  while (!plan_.inputs[merge.first_input + k].is_constant) ++k;
  return k;
}

// Returns the value of input `k` of a record that passes values on. For a variable this is its value, unless the op takes
// references. Returns null if the run has failed.
FLOWGRAPH_INLINE const edge_value* queue_flow_runner::moved_input(const plan_record& r, iteration& at, std::uint32_t k) {
  const input_ref& ref = plan_.inputs[r.first_input + k];
  const edge_value& found = ref.is_constant ? plan_.constants[ref.index] : at.slots[ref.index].value;
  if (!ref.dereference) [[likely]]
    return &found;
  edge_value& counted = moved_[k == 0 ? 0 : 1];
  error why;
  if (read_input(r, k, *found.variable, e_.services_, counted.tensor, why)) return &counted;
  e_.fail(e_.named(why, r, at));
  return nullptr;
}

FLOWGRAPH_INLINE void queue_flow_runner::release_moved() {
  for (edge_value& counted : moved_)
    if (counted.tensor.has_value()) counted.tensor.reset();
}

FLOWGRAPH_INLINE void queue_flow_runner::run(std::uint32_t index, iteration& at,
                                             threading::unique_lock<threading::mutex>& baton) {
  const plan_record& record = plan_.records[index];
  if (record.control == control_flow::loop) return run_loop(record, at, baton);
  progress& p = at.records[record.local];
  const bool merges = record.control == control_flow::merge;
  if (merges && p.chosen == progress::none) p.chosen = constant_input(record);
  const bool dead = merges ? p.chosen == progress::all_dead : p.dead > 0 && record.control != control_flow::control_trigger;
  const edge_value* value = nullptr;
  if (!dead && record.input_count > 0) {
    value = moved_input(record, at, merges ? p.chosen : 0);
    if (!value) return;
  }
  bool here = false;  // its outputs are in its own iteration
  switch (record.control) {
    case control_flow::enter: enter(record, at, value); break;
    case control_flow::exit: leave(record, at, value); break;
    case control_flow::next_iteration: next(record, at, value); break;
    default:
      here = true;
      if (!pass(record, at, p, value)) return;
  }
  release_moved();
  if (!merges) {
    e_.release_inputs(record, at);
  } else if (!dead) {  // other inputs may still be computed
    const input_ref& ref = plan_.inputs[record.first_input + p.chosen];
    if (!ref.is_constant) at.slots[ref.index].read();
  }
  if (here) e_.propagate(record, at, dead);
  --at.outstanding;
  settle(at);
}

// Sets the outputs of a record that passes a value on within its iteration. Returns false if the run has failed.
FLOWGRAPH_INLINE bool queue_flow_runner::pass(const plan_record& record, iteration& at, const progress& p,
                                              const edge_value* value) {
  mark_outputs(record, at, value || record.control == control_flow::control_trigger ? slot::live : slot::dead);
  slot* out = at.slots.data() + record.first_slot;
  auto refuse = [&](const error& why) {
    e_.fail(e_.named(why, record, at));
    return false;
  };
  if (!value) return true;
  if (record.control == control_flow::switch_) {
    const edge_value* condition = moved_input(record, at, 1);
    if (!condition) return false;
    const auto taken = side_of(condition->tensor);
    if (!taken) return refuse(taken.error());
    out[*taken ? 0 : 1].become(slot::dead);
    if (out[*taken ? 1 : 0].planned() > 0) out[*taken ? 1 : 0].value = *value;
    return true;
  }
  if (out[0].planned() > 0) out[0].value = *value;
  if (record.control != control_flow::merge || out[1].planned() == 0) return true;
  any_tensor& index = out[1].value.tensor;
  if (!index.emplace(dtype::int32, shape{}, e_.services_.memory))
    return refuse(any_tensor::allocate(dtype::int32, shape{}, e_.services_.memory).error());
  *index.as_writable<std::int32_t>().data() = static_cast<std::int32_t>(p.chosen);
  return true;
}

// Stores a value as output 0 of a record in another iteration than its own. Null means that the value is dead.
FLOWGRAPH_INLINE void queue_flow_runner::deliver(const plan_record& r, iteration& to, const edge_value* value) {
  slot& s = to.slots[r.first_slot];
  s.become(value ? slot::live : slot::dead);
  if (value && s.planned() > 0) s.value = *value;
  e_.propagate(r, to, !value);
}

FLOWGRAPH_INLINE iteration& queue_flow_runner::open_iteration(frame_instance& f) {
  iteration* i = e_.frames_.open(f.frame);
  i->frame = &f;
  i->index = f.opened++;
  i->key = key_of_iteration(f.key, i->index);
  f.live.push_back(i);
  ++i->outstanding;  // not zero while the iteration is being filled, so that it cannot end before
  for (const carried& c : f.invariants) deliver(plan_.records[c.record], *i, c.dead ? nullptr : &c.value);
  --i->outstanding;
  return *i;
}

FLOWGRAPH_INLINE carried queue_flow_runner::carry(const plan_record& r, const edge_value* value) const {
  return {static_cast<std::uint32_t>(&r - plan_.records.data()), value == nullptr, value ? *value : edge_value()};
}

FLOWGRAPH_INLINE void queue_flow_runner::enter(const plan_record& r, iteration& at, const edge_value* value) {
  const plan_frame& frame = plan_.frames[r.output_frame];
  const bool is_whole = frame.loop != no_index && !e_.run_.by_iteration;
  frame_instance*& f = at.children[frame.position];
  if (!f) {
    f = e_.frames_.open_frame(r.output_frame, &at);
    ++at.outstanding;
    if (!is_whole) open_iteration(*f);
  }
  if (is_whole) arrive(r, *f, value);
  else enter_iteration(r, *f, value);
}

FLOWGRAPH_INLINE void queue_flow_runner::enter_iteration(const plan_record& r, frame_instance& child, const edge_value* value) {
  --child.enters_left;
  if (r.is_constant_enter) {
    child.invariants.push_back(carry(r, value));
    for (std::size_t i = 0; i < child.live.size(); ++i) deliver(r, *child.live[i], value);
  } else {
    deliver(r, *child.live.front(), value);
  }
  settle(*child.live.front());
}

FLOWGRAPH_INLINE void queue_flow_runner::leave(const plan_record& r, iteration& at, const edge_value* value) {
  if (!value) return;  // consumers receive a dead value once, when the frame ends without a live one
  frame_instance& f = *at.frame;
  f.lived[r.local] = true;
  deliver(r, *f.parent, value);
}

FLOWGRAPH_INLINE void queue_flow_runner::next(const plan_record& r, iteration& at, const edge_value* value) {
  if (!value) return;
  frame_instance& f = *at.frame;
  if (at.index + 1 == f.opened) {
    if (f.live.size() >= plan_.frames[f.frame].parallel_iterations) {
      f.waiting.push_back(carry(r, value));
      return;
    }
    iteration& fresh = open_iteration(f);
    ++fresh.outstanding;
    deliver(r, fresh, value);
    --fresh.outstanding;
    return;
  }
  deliver(r, *f.live[f.live.size() - static_cast<std::size_t>(f.opened - (at.index + 1))], value);
}

FLOWGRAPH_INLINE void queue_flow_runner::settle(iteration& at) {
  iteration* i = &at;
  while (i->outstanding == 0 && i->frame) {
    frame_instance& f = *i->frame;
    if (!close_iterations(f)) return;
    iteration* parent = f.parent;
    for (const std::uint32_t record : plan_.frames[f.frame].records) {
      const plan_record& r = plan_.records[record];
      if (r.control == control_flow::exit && !f.lived[r.local]) deliver(r, *parent, nullptr);
    }
    close_loop(f);
    i = parent;
  }
}

// Closes finished iterations. Returns true if no iteration is left, and none will come.
FLOWGRAPH_INLINE bool queue_flow_runner::close_iterations(frame_instance& f) {
  while (!f.live.empty()) {
    iteration* oldest = f.live.front();
    if (oldest->outstanding > 0 || f.enters_left > 0) return false;
    f.live.erase(f.live.begin());
    e_.frames_.close(f.frame, oldest);
    if (f.waiting.empty() || f.live.size() >= plan_.frames[f.frame].parallel_iterations) continue;
    // The next iteration was held back, since too many were in progress. Now there is room for it.
    sequence<carried> held;
    held.swap(f.waiting);
    iteration& fresh = open_iteration(f);
    ++fresh.outstanding;
    for (const carried& c : held) deliver(plan_.records[c.record], fresh, &c.value);
    --fresh.outstanding;
    held.clear();
    if (f.waiting.empty()) f.waiting.swap(held);  // its memory is used for later values
  }
  return f.enters_left == 0;
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
