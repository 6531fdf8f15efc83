#pragma once
// Plans loop bodies, and the body of the root for a prepared step: merges the slots of one value, orders the steps, and finds their
// guards. A loop that cannot be planned keeps the ready queue.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/planning/impl/loop_guards.hpp>
#include <flowgraph/runtime/planning/impl/body_memory.hpp>
#include <flowgraph/runtime/planning/impl/loop_overlap.hpp>

#include <algorithm>
#include <map>
#include <queue>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Plans the body of one loop, or of the root. The inner loops must have been planned before.
class body_planner {
public:
  body_planner(const plan& p, std::uint32_t frame)
      : plan_(p), frame_(frame), places_(p.frames[frame].slots), types_(places_.size(), dtype::invalid) {}

  // Returns null if the body was planned, and sets `body`. Otherwise returns the reason why it has no schedule.
  const char* make(body_plan& body) {
    body_ = &body;
    body.frame = frame_;
    if (const char* why = find_units()) return why;
    if (const char* why = put_in_order()) return why;
    for (const std::uint32_t unit : order_)
      if (const char* why = add(unit)) return why;
    if (!is_root() && (!asks_ || body_->next.empty())) return "the loop has no condition, or no back edge";
    if (const char* why = is_root() ? add_fetches() : check_order()) return why;
    join_parts();
    body_memory(plan_, *body_, std::move(types_)).lay_out(kept_places());
    return nullptr;
  }
  loop_overlap overlap() const { return {plan_, order_, successors_}; }

private:
  static constexpr std::uint32_t the_loop = no_index - 1;  // the decision whether the loop continues
  enum section : std::size_t { ask, go_on, end };

  struct found_at {
    body_input holds;
    guard_list guards;
    bool never = false;
  };
  struct note {  // the condition under which a record runs
    guard_list guards;
    bool never = false;
    section in = ask;
    bool operator==(const note&) const = default;
  };
  static void unite(note& all, const note& more) {
    all.never = !detail::unite(all.guards, more.guards) || more.never || all.never;
  }

  bool is_root() const { return plan_.frames[frame_].parent == no_index; }
  const plan_record& record(std::uint32_t i) const { return plan_.records[i]; }
  bool is_own_enter(std::uint32_t i) const {
    return record(i).output_frame == frame_ && record(i).control == control_flow::enter;
  }
  bool is_inner_enter(std::uint32_t i) const { return record(i).frame == frame_ && record(i).control == control_flow::enter; }

  // Finds the units that run as a whole: a record, or an inner loop with its Enters and Exits.
  const char* find_units() {
    for (const std::uint32_t i : plan_.frames[frame_].records) unit_of_[i] = i;
    for (const std::uint32_t inner : plan_.frames[frame_].children) {
      const std::uint32_t loop = plan_.frames[inner].loop;
      if (loop == no_index) return is_root() ? plan_.frames[inner].queued : "an inner loop runs by the ready queue";
      std::uint32_t first = no_index;
      for (const std::uint32_t i : plan_.frames[frame_].records)
        if (is_inner_enter(i) && record(i).output_frame == inner) unit_of_[i] = first = first == no_index ? i : first;
      for (const body_plan::left& exit : plan_.loop(loop).exits) unit_of_[exit.record] = first;
    }
    for (const auto& [i, unit] : unit_of_) add_edges(i, unit);
    if (is_root()) return nullptr;
    for (const std::uint32_t i : plan_.frames[plan_.frames[frame_].parent].records)
      if (record(i).control == control_flow::enter && record(i).output_frame == frame_) {
        own_enters_.push_back(i);
        fill_own(record(i).first_slot, {});
        add_edges(i, no_index);
      }
    return nullptr;
  }
  void add_edges(std::uint32_t from, std::uint32_t unit) {
    const plan_record& r = record(from);
    if (r.output_frame == frame_ && r.kind != record_kind::feed)
      for (std::uint32_t k = 0; k < r.output_count; ++k) types_[r.first_slot + k] = r.site->outputs[k].type;
    for (std::uint32_t k = 0; k < r.consumer_count; ++k) {
      const consumer& c = plan_.consumers[r.first_consumer + k];
      const auto to = unit_of_.find(c.record);
      if (to == unit_of_.end()) continue;
      inputs_[c.record].push_back({from, c});
      if (unit != no_index) successors_[unit].push_back({to->second, r.control == control_flow::next_iteration});
    }
  }

  const char* put_in_order() {
    std::map<std::uint32_t, std::size_t> waits_for;
    for (const std::uint32_t i : plan_.frames[frame_].records) waits_for[unit_of_[i]];
    for (const auto& [unit, list] : successors_)
      for (const loop_overlap::successor& s : list)
        if (!s.comes_back) ++waits_for[s.unit];
    std::priority_queue<std::uint32_t, sequence<std::uint32_t>, std::greater<>> ready;
    for (const auto& [unit, count] : waits_for)
      if (count == 0) ready.push(unit);
    while (!ready.empty()) {
      const std::uint32_t unit = ready.top();
      ready.pop();
      order_.push_back(unit);
      for (const loop_overlap::successor& s : successors_[unit])
        if (!s.comes_back && --waits_for[s.unit] == 0) ready.push(s.unit);
    }
    return order_.size() == waits_for.size() ? nullptr : "nodes depend on each other in a cycle";
  }

  body_input resolve(std::uint32_t i, std::uint32_t k) const {
    const input_ref& ref = plan_.inputs[record(i).first_input + k];
    body_input in{ref.index, true, ref.dereference, false};
    if (ref.is_constant) return in;
    in = places_[ref.index].holds;
    in.dereference = ref.dereference;
    return in;
  }
  const found_at& place_read(std::uint32_t i, std::uint32_t k) const {
    static const found_at constant;
    const input_ref& ref = plan_.inputs[record(i).first_input + k];
    return ref.is_constant ? constant : places_[ref.index];
  }
  bool reads_variable(std::uint32_t i) const {
    for (std::uint32_t k = 0; k < record(i).input_count; ++k)
      if (plan_.inputs[record(i).first_input + k].dereference) return true;
    return false;
  }
  // Returns when a record runs: when all its inputs are alive.
  note when(std::uint32_t i) {
    note n;
    for (std::uint32_t k = 0; k < record(i).input_count; ++k) {
      const found_at& from = place_read(i, k);
      unite(n, {from.guards, from.never, ask});
    }
    for (const auto& [from, edge] : inputs_[i])
      if (edge.port == control_port) unite(n, notes_[from]);
    return n;
  }
  static section section_of(const guard_list& guards) {
    for (const guard& g : guards)
      if (g.decision == the_loop) return g.side ? go_on : end;
    return ask;
  }
  static bool is_just(const note& n, bool goes_on) {
    return !n.never && n.guards.size() == 1 && n.guards[0] == guard{the_loop, goes_on};
  }
  void fill(std::uint32_t slot, const note& n, body_input holds) { places_[slot] = {holds, n.guards, n.never}; }
  void fill_own(std::uint32_t slot, const note& n) { fill(slot, n, {slot, false, false, false}); }

  body_step& add_step(body_step::form kind, std::uint32_t i, note& n) {
    n.in = section_of(n.guards);
    body_step s;
    s.kind = kind;
    s.record = i;
    s.output = record(i).first_slot;
    for (const guard& g : n.guards)
      if (g.decision != the_loop) s.guards.push_back(g);
    parts_[n.in].push_back(std::move(s));
    return parts_[n.in].back();
  }

  const char* add(std::uint32_t i) {
    if (record(i).kind == record_kind::feed) return add_feed(i);
    switch (record(i).control) {
      case control_flow::merge: return add_merge(i);
      case control_flow::switch_: return add_switch(i);
      case control_flow::enter: return add_inner(i);
      case control_flow::next_iteration: return add_next(i);
      case control_flow::exit: return add_exit(i);
      case control_flow::loop_cond: return add_condition(i);
      case control_flow::control_trigger:
      case control_flow::loop: return nullptr;
      case control_flow::send:
      case control_flow::receive: return "a value crosses to another part of the run";
      default: return add_kernel(i);
    }
  }

  const char* add_feed(std::uint32_t i) {
    body_->enters.push_back({i, record(i).first_slot});
    fill_own(record(i).first_slot, {});
    return nullptr;
  }
  const char* add_fetches() {
    for (std::size_t i = 0; i < plan_.fetches.size(); ++i) {
      const input_ref& f = plan_.fetches[i];
      if (f.is_constant) continue;
      const found_at& from = places_[f.index];
      if (from.never) return "a fetched edge is on a branch that is never taken";
      body_->exits.push_back({plan_.fetch_records[i], from.holds, from.guards});
      body_->exits.back().from.dereference = f.dereference;
    }
    return nullptr;
  }

  const char* add_merge(std::uint32_t i) {
    const plan_record& r = record(i);
    if (reads_variable(i)) return "a Merge reads a variable";
    if (plan_.uses[frame_][r.first_slot + 1] > 0) return "output value_index of a Merge is read";
    const auto enters = std::find_if(inputs_[i].begin(), inputs_[i].end(), [&](const auto& e) { return is_own_enter(e.first); });
    if (enters != inputs_[i].end()) {
      const bool plain = inputs_[i].size() == 2 && r.input_count == 2 && !record(enters->first).is_constant_enter;
      const std::uint32_t back = inputs_[i].back().first == enters->first ? inputs_[i].front().first : inputs_[i].back().first;
      if (!plain || record(back).control != control_flow::next_iteration)
        return "the Merge of a loop variable has other inputs than one Enter and one NextIteration";
      body_->enters.push_back({enters->first, r.first_slot});
      begins_.push_back(enters->first);
      fill_own(r.first_slot, notes_[i]);
      return nullptr;
    }
    if (std::any_of(inputs_[i].begin(), inputs_[i].end(),
                    [&](const auto& e) { return record(e.first).control == control_flow::next_iteration; }))
      return "a NextIteration leads to a Merge without an Enter";
    if (const std::uint32_t k = constant_of_root(i); k != no_index) {  // the constant is there before all other inputs
      fill(r.first_slot, notes_[i], resolve(i, k));
      return nullptr;
    }
    sequence<guard_list> sides;
    sequence<body_input> inputs;
    for (std::uint32_t k = 0; k < r.input_count; ++k) {
      if (place_read(i, k).never) continue;
      sides.push_back(place_read(i, k).guards);
      inputs.push_back(resolve(i, k));
    }
    note& n = notes_[i];
    if (sides.empty()) {
      n.never = true;
      fill_own(r.first_slot, n);
      return nullptr;
    }
    n.guards = sides[0];
    for (const guard_list& side : sides)
      erase_if(n.guards, [&](const guard& g) { return !std::binary_search(side.begin(), side.end(), g); });
    for (guard_list& side : sides)
      erase_if(side, [&](const guard& g) { return std::binary_search(n.guards.begin(), n.guards.end(), g); });
    if (!is_every_side(sides)) return "the inputs of a Merge are not the two sides of one condition";
    fill_own(r.first_slot, n);
    body_step& s = add_step(body_step::form::select, i, n);
    s.inputs = std::move(inputs);
    s.sides = std::move(sides);
    return nullptr;
  }

  // For a Merge outside of loops, returns the input that is a constant, if there is one.
  std::uint32_t constant_of_root(std::uint32_t i) const {
    for (std::uint32_t k = 0; k < record(i).input_count && is_root(); ++k)
      if (plan_.inputs[record(i).first_input + k].is_constant) return k;
    return no_index;
  }

  const char* add_switch(std::uint32_t i) {
    const plan_record& r = record(i);
    notes_[i] = when(i);
    if (notes_[i].never) {  // the Switch never runs
      for (const std::uint32_t side : {0u, 1u}) fill(r.first_slot + side, notes_[i], {});
      return nullptr;
    }
    const body_input condition = read_now(i, 1), value = read_now(i, 0);
    std::uint32_t decision = the_loop;
    if (asks_ && condition.place == body_->condition.place && condition.is_constant == body_->condition.is_constant) {
      body_->asked_by = i;
    } else if (condition.is_constant) {
      const any_tensor& known = plan_.constants[condition.place].tensor;
      if (!side_of(known)) return "the condition of a Switch is a constant, and not a scalar";
      const bool taken = *side_of(known);
      for (const bool side : {false, true}) {
        note n = notes_[i];
        n.never = side != taken;
        fill(r.first_slot + side, n, value);
      }
      return nullptr;
    } else {
      const auto [at, is_new] = decisions_.emplace(condition.place, body_->decisions);
      decision = at->second;
      if (is_new) {
        const found_at& from = resolve(i, 1).dereference ? place_read(i, 1) : places_[condition.place];  // Switches share it
        note asked{from.guards, from.never, ask};
        body_step& s = add_step(body_step::form::decide, i, asked);
        s.inputs = {condition};
        s.output = body_->decisions++;
      }
    }
    for (const bool side : {false, true}) {
      note n = notes_[i];
      unite(n, {{{decision, side}}, false, ask});
      fill(r.first_slot + side, n, value);
    }
    return nullptr;
  }
  // Returns input k of a Switch or of an op that passes it on; for a variable, its value, read into the place of output k.
  body_input read_now(std::uint32_t i, std::uint32_t k) {
    const body_input in = resolve(i, k);
    if (!in.dereference) return in;
    body_step& s = add_step(body_step::form::read, i, notes_[i]);
    s.inputs = {in};
    s.output += k;
    body_->shared.push_back(s.output);
    return {s.output, false, false, false};
  }

  const char* add_condition(std::uint32_t i) {
    notes_[i] = when(i);
    const body_input in = resolve(i, 0);
    if (asks_ || in.dereference || !notes_[i].guards.empty())
      return "the loop has several LoopConds, or one that reads a variable or a branch";
    asks_ = true;
    body_->condition = in;
    fill(record(i).first_slot, notes_[i], in);
    return nullptr;
  }

  const char* add_next(std::uint32_t i) {
    notes_[i] = when(i);
    if (!is_just(notes_[i], true) || reads_variable(i)) return "a NextIteration is on a branch, or passes on a variable";
    for (std::uint32_t k = 0; k < record(i).consumer_count; ++k) {
      const consumer& c = plan_.consumers[record(i).first_consumer + k];
      if (!c.merges) return "a node that is not a Merge reads a NextIteration";
      body_->next.push_back({record(c.record).first_slot, resolve(i, 0), no_index});
    }
    return nullptr;
  }

  const char* add_exit(std::uint32_t i) {
    notes_[i] = when(i);
    const body_input from = resolve(i, 0);
    const bool is_invariant =
        std::any_of(own_enters_.begin(), own_enters_.end(), [&](std::uint32_t e) { return record(e).first_slot == from.place; });
    if (!is_just(notes_[i], false) || is_invariant || from.is_constant || from.dereference)
      return "an Exit reads something other than the last value of a loop variable";
    body_->exits.push_back({i, from});
    return nullptr;
  }

  // Adds an inner loop, which runs if all its Enters are alive.
  const char* add_inner(std::uint32_t unit) {
    const std::uint32_t inner = plan_.frames[record(unit).output_frame].loop;
    const body_plan& loop = plan_.loop(inner);
    note n;
    sequence<note> entering;
    for (const body_plan::entered& e : loop.enters) {
      entering.push_back(when(e.record));
      unite(n, entering.back());
    }
    if (!is_whole(loop, entering, n)) return "the inputs of an inner loop are on different branches";
    if (!n.never) {
      body_step& s = add_step(body_step::form::loop, unit, n);
      s.output = static_cast<std::uint32_t>(body_->inner.size());
      for (const body_plan::entered& e : loop.enters) s.inputs.push_back(resolve(e.record, 0));
      for (const body_plan::left& e : loop.exits) s.outputs.push_back(record(e.record).first_slot);
      body_->inner.push_back(inner);
    }
    for (const body_plan::entered& e : loop.enters) notes_[e.record] = n;
    for (const body_plan::left& e : loop.exits) {
      notes_[e.record] = n;
      fill_own(record(e.record).first_slot, n);
    }
    return nullptr;
  }

  // Returns whether a dead Enter makes all of a loop dead: its variables die together, or its condition needs the dead value.
  bool is_whole(const body_plan& loop, const sequence<note>& entering, const note& all_alive) const {
    note asked;
    bool is_one = true;
    for (std::size_t k = 0; k < entering.size(); ++k) {
      if (loop.enters[k].is_asked) unite(asked, entering[k]);
      is_one = is_one && (record(loop.enters[k].record).is_constant_enter || entering[k] == all_alive);
    }
    const auto steps = std::span(loop.steps).first(loop.body_begins);
    const bool does_nothing_else =
        std::none_of(steps.begin(), steps.end(), [&](const body_step& s) { return record(s.record).table->stateful; });
    return is_one || (asked == all_alive && does_nothing_else);
  }

  const char* add_kernel(std::uint32_t i) {
    const plan_record& r = record(i);
    if (!r.kernel && !r.table->alias) return "a kernel is asynchronous";
    if (r.binding != no_index && !is_root()) return "a node in the loop names a resource";
    note& n = notes_[i] = when(i);
    const bool same = passes_inputs(r) && !r.table->stateful;
    if (n.never || same) {
      for (std::uint32_t k = 0; k < r.output_count; ++k) fill(r.first_slot + k, n, n.never ? body_input{} : read_now(i, k));
      n.in = section_of(n.guards);
      return nullptr;
    }
    using form = body_step::form;
    body_step& s = add_step(r.binding != no_index ? form::bind : r.table->alias ? form::alias : form::kernel, i, n);
    for (std::uint32_t k = 0; k < r.input_count; ++k) s.inputs.push_back(resolve(i, k));
    for (std::uint32_t k = 0; k < r.output_count; ++k) {
      fill_own(r.first_slot + k, n);
      if (r.table->alias || !is_plain(r.site->outputs[k].type)) body_->shared.push_back(r.first_slot + k);
    }
    return nullptr;
  }

  // Checks that accesses to variables keep their order although the parts run one after another, and that only Merges read an Enter
  // that is not constant, whose value exists only in the first iteration.
  const char* check_order() {
    for (const std::uint32_t i : plan_.frames[frame_].records)
      for (const auto& [from, edge] : inputs_[i])
        if (edge.port == order_port && notes_[from].in > notes_[i].in)
          return "a variable is written before the condition reads it";
    const sequence<char> asked = needed_by_condition();
    for (body_plan::entered& e : body_->enters) e.is_asked = asked[e.record];
    for (const std::uint32_t i : own_enters_) {
      if (record(i).is_constant_enter) {
        body_->enters.push_back({i, record(i).first_slot, static_cast<bool>(asked[i])});
      } else {
        const auto times = static_cast<std::size_t>(std::count(begins_.begin(), begins_.end(), i));
        if (times == 0 || times != record(i).consumer_count)
          return "an Enter that is not constant is read by a node that is not a Merge";
      }
    }
    return nullptr;
  }

  // Returns for each record whether the condition of the first iteration depends on it.
  sequence<char> needed_by_condition() {
    sequence<char> needed(plan_.records.size(), false);
    sequence<std::uint32_t> stack;
    for (const std::uint32_t i : plan_.frames[frame_].records)
      if (record(i).control == control_flow::loop_cond) stack.push_back(i);
    while (!stack.empty()) {
      const std::uint32_t i = stack.back();
      stack.pop_back();
      if (std::exchange(needed[i], true) || record(i).control == control_flow::next_iteration) continue;
      for (const auto& [from, edge] : inputs_[i]) stack.push_back(from);
      if (record(i).control == control_flow::exit)
        for (const body_plan::entered& e : plan_.loop(plan_.frames[record(i).frame].loop).enters) stack.push_back(e.record);
    }
    return needed;
  }

  void join_parts() {
    body_->body_begins = parts_[ask].size();
    body_->end_begins = body_->body_begins + parts_[go_on].size();
    for (auto& part : parts_)
      for (body_step& s : part) body_->steps.push_back(std::move(s));
  }

  // Returns the places whose memory must not be taken: values for all iterations, and conditions.
  sequence<char> kept_places() const {
    sequence<char> kept(places_.size(), false);
    for (const body_plan::entered& e : body_->enters)
      if (record(e.record).is_constant_enter) kept[e.place] = true;
    if (asks_ && !body_->condition.is_constant) kept[body_->condition.place] = true;
    for (const auto& [place, decision] : decisions_) kept[place] = true;
    return kept;
  }

  const plan& plan_;
  std::uint32_t frame_;
  body_plan* body_ = nullptr;
  sequence<found_at> places_;                       // by slot
  std::vector<dtype> types_;                        // by slot
  std::map<std::uint32_t, std::uint32_t> unit_of_;  // by record
  std::map<std::uint32_t, note> notes_;
  // Edges by consumer, with the record that they come from.
  std::map<std::uint32_t, sequence<std::pair<std::uint32_t, consumer>>> inputs_;
  sequence<std::uint32_t> own_enters_;
  loop_overlap::successors successors_;
  sequence<std::uint32_t> order_;
  sequence<body_step> parts_[3];
  std::map<std::uint32_t, std::uint32_t> decisions_;  // by the place of the condition
  sequence<std::uint32_t> begins_;                    // Enters, one entry per variable that begins with them
  bool asks_ = false;
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
