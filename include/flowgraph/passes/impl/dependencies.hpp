#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/dependencies.hpp>
#include <flowgraph/passes/detail/node_lists.hpp>
#include <flowgraph/passes/detail/rewriting.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// One pass from the last node to the first: the nodes that wait for a node have been processed before it.
class untangling {
public:
  explicit untangling(draft& d) : draft_(d), facts_(d), readers_(facts_.size()), waiters_(facts_.size()), seen_(facts_.size()) {
    for (draft_node& n : d) {
      all_.push_back(&n);
      if (is_constant_node(n)) continue;
      for (const draft_edge& e : n.inputs) readers_.add(e.from->place, n);
      for (const draft_node* c : n.controls) waiters_.add(c->place, n);
    }
  }

  std::size_t run() {
    const std::size_t before = draft_.size();
    std::size_t freed = 0;
    for (std::size_t i = all_.size(); i-- > 0;) {
      draft_node& n = *all_[i];
      if (n.kind != form::op) continue;
      freed += tidy(n) ? 1u : 0u;
      if (may_go(n) && is_worth_it(n)) bypass(n);
    }
    if (before > draft_.size() || freed > 0) drop_unread(draft_, facts_, true);
    return before - draft_.size() + freed;
  }

private:
  using form = draft_node::form;

  static bool is_plain_op(const draft_node& n) { return n.kind == form::op && n.table->control == control_flow::none; }
  // Returns whether the node exists before all others, so no node needs to wait for it.
  static bool is_given(const draft_node& n) { return n.kind != form::op; }

  // Removes control edges that have no effect. Returns true if a constant has lost its last one, and became a constant of the plan.
  bool tidy(draft_node& n) {
    if (!is_plain_op(n) || n.controls.empty()) return false;
    sequence<draft_node*> kept(n.controls.begin(), n.controls.end());
    std::sort(kept.begin(), kept.end(), [](const draft_node* a, const draft_node* b) { return a->place < b->place; });
    kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
    const bool is_value = n.table->description->constant && n.outputs.size() == 1;
    erase_if(kept, [&](const draft_node* c) { return is_given(*c) || (is_value && facts_.is_alive(*c)); });
    for (std::size_t i = kept.size() > most_compared ? 0 : kept.size(); i-- > 0;)
      if (comes_before(*kept[i], n, kept)) kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(i));
    set_controls(n, kept);
    if (!is_value || !n.controls.empty()) return false;
    n.kind = form::constant;
    draft_.has_constants = true;
    return true;
  }
  void set_controls(draft_node& n, const sequence<draft_node*>& kept) {
    for (const draft_node* c : n.controls) waiters_.erase(c->place, n);
    draft_.wait_for(n, kept);
    for (const draft_node* c : kept) waiters_.add(c->place, n);
  }

  // Returns whether another edge of n leads back to c, over nodes that are dead whenever c is dead. Visits a limited number of nodes.
  static constexpr std::size_t most_seen = 300, most_compared = 64, most_added = 4096;
  bool comes_before(const draft_node& c, const draft_node& n, const sequence<draft_node*>& controls) {
    ++search_;
    stack_.clear();
    for (const draft_edge& e : n.inputs) look_at(*e.from, c);
    for (draft_node* other : controls)
      if (other != &c) look_at(*other, c);
    for (std::size_t seen = 0; !stack_.empty() && seen < most_seen; ++seen) {
      const draft_node& at = *stack_.back();
      stack_.pop_back();
      if (&at == &c) return true;
      const bool is_passable = is_plain_op(at) || (at.kind == form::op && at.table->control == control_flow::switch_);
      if (!is_passable) continue;
      for (const draft_edge& e : at.inputs) look_at(*e.from, c);
      for (const draft_node* earlier : at.controls) look_at(*earlier, c);
    }
    return false;
  }
  void look_at(const draft_node& n, const draft_node& wanted) {
    if (n.place < wanted.place || seen_[n.place] == search_) return;
    seen_[n.place] = search_;
    stack_.push_back(&n);
  }

  // Returns whether others need only the node's inputs and control inputs, or also its value, which is that of its input.
  bool may_go(const draft_node& n) const {
    if (!is_plain_op(n) || !is_pure(*n.table) || n.is_requested) return false;
    if (n.is_weighed && !hands_on(n)) return false;
    for (const draft_edge& e : n.inputs)
      if (is_reference(e) || is_counted(e.from->outputs[e.port].type)) return false;
    for (const output_info& o : n.outputs)
      if (o.is_reference || is_counted(o.type)) return false;
    if (!readers_[n.place].empty() && !hands_on(n)) return false;
    return has_free_ends(n);
  }
  bool hands_on(const draft_node& n) const {
    if (!n.table->passes_value || n.inputs.size() != 1 || n.outputs.size() != 1) return false;
    const draft_edge& x = n.inputs[0];
    if (x.from->outputs[x.port].type != n.outputs[0].type) return false;
    return draft_.may_move(n, *x.from);
  }
  // The node that waits instead must be able to wait: among control flow ops, only a NextIteration is. A control edge leads from a
  // whole node, not from one side.
  bool has_free_ends(const draft_node& n) const {
    const auto may_wait = [](const draft_node* other) {
      return is_plain_op(*other) || (other->kind == form::op && other->table->control == control_flow::next_iteration);
    };
    if (!std::ranges::all_of(waiters_[n.place], may_wait)) return false;
    if (!n.controls.empty() && !std::ranges::all_of(readers_[n.place], may_wait)) return false;
    if (waiters_[n.place].empty()) return true;
    for (const draft_edge& e : n.inputs)
      if (e.from->kind == form::op && e.from->table->control == control_flow::switch_) return false;
    return true;
  }
  // The number of edges must not grow.
  bool is_worth_it(const draft_node& n) const {
    const node_lists::list readers = readers_[n.place], waiters = waiters_[n.place];
    const std::size_t before = n.inputs.size() + n.controls.size() + readers.size() + waiters.size();
    sequence<draft_node*> earlier(n.controls.begin(), n.controls.end());
    if (earlier.size() * readers.size() > most_added) return false;
    std::size_t after = readers.size();
    for (const draft_node* r : readers) after += missing_in(*r, earlier);
    for (const draft_edge& e : n.inputs)
      if (!is_given(*e.from)) earlier.push_back(e.from);
    if (earlier.size() * waiters.size() > most_added) return false;
    for (const draft_node* w : waiters) after += missing_in(*w, earlier);
    return after <= before;
  }
  // Returns how many of these nodes it neither reads nor waits for.
  static std::size_t missing_in(const draft_node& n, const sequence<draft_node*>& all) {
    return static_cast<std::size_t>(std::ranges::count_if(all, [&](const draft_node* c) {
      return std::ranges::find(n.controls, c) == n.controls.end() &&
             std::ranges::none_of(n.inputs, [&](const draft_edge& e) { return e.from == c; });
    }));
  }

  void bypass(draft_node& n) {
    const sequence<draft_node*> waiters = waiters_.take(n.place), readers = readers_.take(n.place);
    sequence<draft_node*> earlier(n.controls.begin(), n.controls.end());
    if (n.is_weighed) n.inputs[0].from->is_weighed = true;
    for (draft_node* r : readers) {
      for (draft_edge& e : r->inputs)
        if (e.from == &n) {
          e = n.inputs[0];
          readers_.add(e.from->place, *r);
        }
      add_controls(*r, nullptr, earlier);
    }
    for (const draft_edge& e : n.inputs)
      if (!is_given(*e.from)) earlier.push_back(e.from);
    for (draft_node* w : waiters) add_controls(*w, &n, earlier);
    for (const draft_node* c : n.controls) waiters_.erase(c->place, n);
    for (const draft_edge& e : n.inputs) readers_.erase(e.from->place, n);
    draft_.remove(n);
  }
  void add_controls(draft_node& n, const draft_node* instead_of, const sequence<draft_node*>& more) {
    sequence<draft_node*> all;
    for (draft_node* c : n.controls)
      if (c != instead_of) all.push_back(c);
    for (draft_node* c : more) add_once(all, *c);
    set_controls(n, all);
    tidy(n);
  }

  draft& draft_;
  draft_facts facts_;
  sequence<draft_node*> all_;
  node_lists readers_, waiters_;  // by place; contains a reader once per edge
  sequence<std::uint32_t> seen_;  // by place: the number of the search that has visited it
  std::uint32_t search_ = 0;
  sequence<const draft_node*> stack_;
};

FLOWGRAPH_INLINE std::size_t dependencies(const further_pass&, draft& d, pass_call&) { return untangling(d).run(); }

}  // namespace flowgraph::detail
