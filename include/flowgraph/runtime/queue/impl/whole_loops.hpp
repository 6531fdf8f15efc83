#pragma once
// Runs a loop that has a schedule as one record: when all inputs have arrived, it runs to its end and sets its exits.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/queue/impl/propagation.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Handles a value, or null for a dead value, that enters the loop. If all loop variables are dead, the loop does not begin, even if
// other inputs are alive. If only some are dead, or a value that is the same in all iterations, the ready queue runs the loop.
FLOWGRAPH_INLINE void queue_flow_runner::arrive(const plan_record& r, frame_instance& f, const edge_value* value) {
  const plan_frame& frame = plan_.frames[f.frame];
  f.waiting.push_back(carry(r, value));
  if (--f.enters_left > 0) return;
  std::size_t dead = 0, variables = 0, dead_variables = 0;
  for (const carried& c : f.waiting) {
    const bool is_variable = !plan_.records[c.record].is_constant_enter;
    dead += c.dead;
    variables += is_variable;
    dead_variables += is_variable && c.dead;
  }
  if (dead == 0 || dead_variables == variables) return e_.become_ready(plan_.loop(frame.loop).record, *f.parent);
  const sequence<carried> arrived = std::exchange(f.waiting, {});
  f.enters_left = frame.enters;
  open_iteration(f);
  for (const carried& c : arrived) enter_iteration(plan_.records[c.record], f, c.dead ? nullptr : &c.value);
}

FLOWGRAPH_INLINE void queue_flow_runner::run_loop(const plan_record& record, iteration& at,
                                                  threading::unique_lock<threading::mutex>& baton) {
  const body_plan& loop = plan_.loop(record.loop);
  frame_instance& f = *at.children[plan_.frames[loop.frame].position];
  if (std::any_of(f.waiting.begin(), f.waiting.end(), [](const carried& c) { return c.dead; })) {
    for (const body_plan::left& exit : loop.exits) deliver(plan_.records[exit.record], at, nullptr);
  } else {
    idle_.resize(plan_.loops->size());
    auto& idle = idle_[record.loop];
    if (idle.empty()) idle.push_back(std::make_shared<owned_schedule>(setting_, loop));
    std::shared_ptr<owned_schedule> w = std::move(idle.back());
    idle.pop_back();
    for (std::size_t k = 0; k < loop.enters.size(); ++k) {
      const auto is_for = [&](const carried& c) { return c.record == loop.enters[k].record; };
      w->entered(k) = std::find_if(f.waiting.begin(), f.waiting.end(), is_for)->value;
    }
    f.waiting.clear();
    const bool ended = run_scheduled(*w, at, baton);
    if (!ended) e_.fail(w->take_failure());
    for (std::size_t k = 0; k < loop.exits.size() && ended && !e_.run_.failure; ++k) {
      edge_value left;
      w->take(k, left);
      deliver(plan_.records[loop.exits[k].record], at, &left);
    }
    w->reset();
    idle.push_back(std::move(w));
    if (e_.run_.failure) return;
  }
  close_loop(f);
  --at.outstanding;
  settle(at);
}

// With threads, a loop runs without the baton, so that other records can run meanwhile.
FLOWGRAPH_INLINE bool queue_flow_runner::run_scheduled(owned_schedule& loop, iteration& at,
                                                       threading::unique_lock<threading::mutex>& baton) {
  if (!e_.services_.pool) return loop.run_loop(at);
  if (!e_.ready_.empty()) e_.summon();
  ++e_.apart_.running;
  baton.unlock();
  const bool ended = loop.run_loop(at);
  baton.lock();
  e_.rejoin();
  return ended;
}

FLOWGRAPH_INLINE void queue_flow_runner::close_loop(frame_instance& f) {
  iteration* parent = f.parent;
  parent->children[plan_.frames[f.frame].position] = nullptr;
  e_.frames_.close_frame(&f);
  --parent->outstanding;
}

}  // namespace flowgraph::detail
