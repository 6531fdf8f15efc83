#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/dead_switches.hpp>
#include <flowgraph/passes/detail/rewriting.hpp>

#include <algorithm>
#include <cstring>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class branch_pruning {
public:
  branch_pruning(draft& d, pass_call& call) : draft_(d), facts_(d), values_(call) {
    for (draft_node& n : d) add_facts(n);
    for (const draft_node& n : d) dead_side_[n.place] = find_dead_side(n);
  }

  std::size_t run() {
    if (!find_dead() || !meets_no_loop()) return 0;
    for (draft_node& n : draft_) {
      if (is_constant_node(n)) continue;  // its inputs may have been removed
      for (draft_edge& e : n.inputs) e = led_past(e);
      if (!is_dead_[n.place]) find_instead(n);
    }
    for (draft_edge& e : draft_.fetches) {
      e = led_past(e);
      e.from->is_requested = true;
    }
    keep_dead_ones();
    const std::size_t changed = remove();
    if (changed == 0) return 0;
    // Folding skips the condition of a Switch, because a schedule needs a node for the decision. Here the decision is no longer needed.
    for (auto& [source, value] : computed_)
      if (!is_constant_node(*source)) draft_.make_constant(*source, {value});
    drop_unread(draft_, draft_facts(draft_));
    return changed;
  }

private:
  static bool is_control(const draft_node& n, control_flow c) { return n.kind == draft_node::form::op && n.table->control == c; }
  // Returns the side of a Switch with a constant condition that is never taken: 0 or 1; 2 if it is not known.
  std::uint8_t find_dead_side(const draft_node& n) {
    if (!is_control(n, control_flow::switch_) || n.inputs.size() != 2 || n.outputs.size() != 2) return 2;
    draft_node& source = *n.inputs[1].from;
    const any_tensor* asked = values_.of(n.inputs[1], facts_);
    if (!asked || asked->type() != dtype::boolean || asked->size() != 1) return 2;
    if (source.outputs.size() == 1) computed_.push_back({&source, *asked});
    return asked->as<bool>()[0] ? 0 : 1;
  }
  bool is_dead(const draft_edge& e) const { return is_dead_[e.from->place] || dead_side_[e.from->place] == e.port; }

  // Finds the dead nodes, and returns whether there are any. Back edges lead only to Merges, which are not dead if one input is dead.
  bool find_dead() {
    bool found = false;
    for (const draft_node& n : draft_) {
      found = found || dead_side_[n.place] < 2;
      if (n.kind != draft_node::form::op) continue;
      bool any = false, all = !n.inputs.empty(), waits = false;
      for (const draft_edge& e : n.inputs) (is_dead(e) ? any : all) = is_dead(e);
      for (const draft_node* c : n.controls) waits = waits || is_dead_[c->place];
      if (is_control(n, control_flow::merge)) is_dead_[n.place] = all && n.controls.empty();
      else is_dead_[n.place] = !is_control(n, control_flow::control_trigger) && (any || waits);
    }
    return found;
  }
  bool meets_no_loop() const {
    for (const draft_node& n : draft_) {
      if (n.kind != draft_node::form::op || n.table->control == control_flow::none) continue;
      const bool is_branch = is_control(n, control_flow::switch_) || is_control(n, control_flow::merge);
      if (!is_branch && is_dead_[n.place]) return false;
    }
    return true;
  }

  // The edges that replace the outputs of a Switch or Merge that is not dead.
  void find_instead(draft_node& n) {
    if (n.is_waited_for || !n.controls.empty() || is_target(n)) return;
    if (dead_side_[n.place] < 2) {
      if (!is_reference(n.inputs[0])) instead_[n.place] = n.inputs[0];
    } else if (is_control(n, control_flow::merge)) {
      const auto dies = [&](const draft_edge& e) { return is_dead(e); };
      const auto living = std::find_if_not(n.inputs.begin(), n.inputs.end(), dies);
      if (std::count_if(n.inputs.begin(), n.inputs.end(), dies) + 1 != std::ssize(n.inputs)) return;
      if (n.inputs.size() > 1 && !is_reference(*living) && !n.outputs[0].is_reference) choose(n, *living);
    }
    if (draft_node* const to = instead_[n.place].from; to && n.is_weighed)
      to->is_weighed = true;  // the node that weighs it may remain
  }
  bool is_target(const draft_node& n) const {
    if (!n.is_requested) return false;
    for (const draft_node* t : draft_.targets)
      if (t == &n) return true;
    for (const draft_edge& e : draft_.fetches)
      if (e.from == &n && is_dead(e)) return true;
    return false;
  }
  void choose(draft_node& merge, const draft_edge& living) {
    instead_[merge.place] = living;
    const auto index = static_cast<std::int32_t>(&living - merge.inputs.data());
    auto result = any_tensor::allocate(dtype::int32, {});
    if (!result) return;
    std::memcpy(result->data(), &index, sizeof index);
    draft_node& constant = draft_.add_behind(merge, 0, 0);
    constant.stand_for(merge);
    constant.table = merge.table;
    constant.attributes = merge.attributes;
    constant.outputs = merge.outputs.subspan(1, 1);
    constant.device = merge.device;
    draft_.make_constant(constant, {*std::move(result)});
    draft_.has_constants = true;
    add_facts(constant);
    indices_.push_back({&merge, &constant});
  }
  void add_facts(draft_node& n) {
    n.place = static_cast<std::uint32_t>(is_dead_.size());
    dead_side_.push_back(2);
    is_dead_.push_back(false);
    is_kept_.push_back(false);
    instead_.push_back({});
  }
  draft_edge led_past(const draft_edge& e) const {
    const draft_edge to = instead_[e.from->place];
    if (!to.from || is_dead(e)) return e;
    if (is_control(*e.from, control_flow::switch_) || e.port == 0) return to;
    for (const auto& [merge, constant] : indices_)
      if (merge == e.from) return {constant, 0};
    return e;
  }

  // Dead nodes remain if a fetch, a target, or a node that remains depends on them.
  void keep_dead_ones() {
    sequence<draft_node*> all;
    for (draft_node& n : draft_) all.push_back(&n);
    const auto keep = [&](const draft_edge& e) {
      if (is_dead(e)) is_kept_[e.from->place] = true;
    };
    for (const draft_edge& e : draft_.fetches) keep(e);
    for (std::size_t i = all.size(); i-- > 0;) {
      draft_node& n = *all[i];
      if (goes(n)) continue;
      is_kept_[n.place] = true;
      if (is_constant_node(n)) continue;
      for (const draft_edge& e : n.inputs) keep(e);
      for (const draft_node* c : n.controls)
        if (is_dead_[c->place]) is_kept_[c->place] = true;
    }
  }
  bool goes(const draft_node& n) const {
    if (is_kept_[n.place]) return false;
    return is_dead_[n.place] ? !n.is_requested : instead_[n.place].from != nullptr;
  }
  std::size_t remove() {
    std::size_t gone = 0;
    for (auto at = draft_.begin(); at != draft_.end();) {
      draft_node& n = *at++;
      if (!goes(n)) continue;
      draft_.remove(n);
      ++gone;
    }
    return gone;
  }

  draft& draft_;
  draft_facts facts_;
  known_values values_;
  sequence<std::pair<draft_node*, any_tensor>> computed_;  // conditions of Switches, and their constant values
  sequence<std::uint8_t> dead_side_;                       // by place
  sequence<char> is_dead_, is_kept_;                       // by place
  sequence<draft_edge> instead_;                           // by place
  sequence<std::pair<draft_node*, draft_node*>> indices_;  // Merges, and the constants with the index of the input that they took
};

FLOWGRAPH_INLINE std::size_t dead_switches(const further_pass&, draft& d, pass_call& call) {
  return branch_pruning(d, call).run();
}

}  // namespace flowgraph::detail
