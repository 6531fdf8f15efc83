#pragma once
// Resolves the views of a draft.
//
// If a node waits for a write, and the view that it reads did not wait for that write, the node reads the variable itself:
//
//     v -> view -> reader        becomes     v ----------> reader
//     v -> write --^                         v -> write --^  ^
//                                            v -> view ------'   (the reader still waits for the view, and is dead if the view is dead)
//
// In a loop, a reference Enter passes the variable into the loop. Nodes that gave the view another shape are repeated.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/passes/detail/node_lists.hpp>
#include <flowgraph/passes/detail/variable_behind.hpp>
#include <flowgraph/passes/views.hpp>
#include <flowgraph/passes/waiting_rules.hpp>

#include <algorithm>
#include <string>
#include <unordered_map>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the Enter for references that belongs to the op of an Enter for values.
struct reference_enter {
  std::string op;
  op_description description;
  op_table table;
  argument input_argument, output_argument;
};

class view_resolution {
public:
  view_resolution(const graph_state& g, draft& d) : graph_(g), draft_(d) {}

  error run() {
    if (!number_nodes()) return {};
    find_writes();
    if (writes_.empty()) return {};
    find_reached();
    for (draft_node* n : nodes_)
      if (n->kind == draft_node::form::op)
        if (error why = look_at(*n)) return why;
    for (draft_edge& e : draft_.fetches)
      if (error why = look_at_fetch(e)) return why;
    if (has_made_) draft_.waiting = &rules_of_waiting_nodes();
    return {};
  }

private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::string_view only_the_run_knows = "the write may change the number of elements, which only the run knows";

  struct write {
    const draft_node* at;
    const draft_node* variable;
    bool may_replace;  // it may give the variable other memory, which views do not see; only the run knows
  };
  // A node that gives a view another shape, and whether it is outside of the loop of the view.
  struct reshaping {
    draft_node* by;
    bool is_outside;
  };
  // The view of a variable that an edge carries.
  struct view {
    draft_edge reference;  // in the frame of the edge
    const draft_node* root;
    const draft_node* variable;
    sequence<reshaping> reshapes = {};  // in their order
    draft_node* entered_by = nullptr;   // a constant Enter whose reference Enter does not exist yet
  };

  static bool is_read(const draft_node& n, std::size_t k) {
    const draft_edge& e = n.inputs[k];
    return e.from->kind == draft_node::form::op && e.from->outputs[e.port].is_reference && !input_argument(n, k).is_reference;
  }
  bool is_view(const draft_node& n) const { return n.kind == draft_node::form::op && graph_.is_view(n.id); }
  static bool is_back_edge(const draft_node& from, const draft_node& to) {
    return from.kind == draft_node::form::op && from.table->control == control_flow::next_iteration &&
           to.table->control == control_flow::merge;
  }

  // Returns false if the draft has no view.
  bool number_nodes() {
    bool found = false;
    for (draft_node& n : draft_) {
      n.place = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back(&n);
      first_.push_back(outputs_);
      outputs_ += static_cast<std::uint32_t>(n.outputs.size());
      if (!is_view(n)) continue;
      for (std::size_t k = 0; k < n.inputs.size(); ++k)
        if (is_read(n, k)) variables_.push_back(variable_behind(n.inputs[k])), found = true;
    }
    view_of_.resize(outputs_, none);
    return found;
  }

  // Only writes to variables that have views.
  void find_writes() {
    for (const draft_node* n : nodes_) {
      if (n->kind != draft_node::form::op) continue;
      for (std::size_t k = 0; k < n->inputs.size(); ++k) {
        if (!input_argument(*n, k).is_reference || !input_argument(*n, k).writes) continue;
        const draft_node* v = variable_behind(n->inputs[k]);
        if (!v || std::ranges::find(variables_, v) == variables_.end()) continue;
        const bool may_replace = may_replace_memory(*n);
        if (may_replace && gets_other_size(*n, k)) continue;
        writes_.push_back({n, v, may_replace && !keeps_size(*n, k)});
      }
    }
  }
  // An Assign of another number of elements gives the variable new memory.
  static bool may_replace_memory(const draft_node& n) {
    if (n.table->of_variable != variable_role::assign) return false;
    const attribute_value validates = attribute_of(*n.table, n.attributes, "validate_shape");
    const bool* const given = validates.get<bool>();
    return given && !*given;
  }
  static const shape& shape_at(const draft_edge& e) { return e.from->outputs[e.port].shape; }
  static bool gets_other_size(const draft_node& n, std::size_t k) {
    const shape &old = shape_at(n.inputs[k]), &fresh = shape_at(n.inputs.back());
    return old.is_known() && fresh.is_known() && old.size() != fresh.size();
  }
  static bool keeps_size(const draft_node& n, std::size_t k) {
    const shape &old = shape_at(n.inputs[k]), &fresh = shape_at(n.inputs.back());
    return old.is_known() && fresh.is_known() && old.size() == fresh.size();
  }

  // Finds for each node the writes that lead to it: within an iteration, and over back edges.
  void find_reached() {
    node_lists readers(nodes_.size());
    for (draft_node* n : nodes_) {
      if (n->kind != draft_node::form::op) continue;
      has_loops_ = has_loops_ || n->table->control == control_flow::next_iteration;
      for (const draft_edge& e : n->inputs) readers.add(e.from->place, *n);
      for (const draft_node* c : n->controls) readers.add(c->place, *n);
    }
    reached_.resize(nodes_.size());
    reached_by_loop_.resize(has_loops_ ? nodes_.size() : 0);
    sequence<std::uint32_t> seen(nodes_.size(), none);
    std::uint32_t round = 0;
    for (std::uint32_t w = 0; w < writes_.size(); ++w) {
      follow(readers, w, round++, seen, false);
      if (has_loops_) follow(readers, w, round++, seen, true);
    }
  }
  void follow(const node_lists& readers, std::uint32_t w, std::uint32_t round, sequence<std::uint32_t>& seen, bool by_loop) {
    sequence<const draft_node*> open(1, writes_[w].at);
    while (!open.empty()) {
      const draft_node* at = open.back();
      open.pop_back();
      for (draft_node* r : readers[at->place]) {
        if (seen[r->place] == round || (!by_loop && is_back_edge(*at, *r))) continue;
        seen[r->place] = round;
        (by_loop ? reached_by_loop_ : reached_)[r->place].push_back(w);
        open.push_back(r);
      }
    }
  }
  static bool has(const sequence<std::uint32_t>& writes, std::uint32_t w) {
    return std::binary_search(writes.begin(), writes.end(), w);
  }
  // Returns a write that leads to the node, but not to the read behind the view; null if there is none.
  const write* write_between(const view& v, const draft_node& n) const {
    for (const auto* reached : {&reached_, &reached_by_loop_}) {
      if (reached->empty()) continue;
      const sequence<std::uint32_t>& root = (*reached)[v.root->place];
      for (const std::uint32_t w : (*reached)[n.place])
        if (writes_[w].variable == v.variable && !has(root, w)) return &writes_[w];
    }
    return nullptr;
  }

  std::uint32_t& view_at(const draft_edge& e) { return view_of_[first_[e.from->place] + e.port]; }

  error look_at(draft_node& n) {
    const bool shows = is_view(n);
    const bool is_plain = n.table->control == control_flow::none;
    sequence<std::uint32_t> shown(n.inputs.size(), none);
    for (std::size_t k = 0; k < n.inputs.size(); ++k) {
      if (n.inputs[k].from->kind != draft_node::form::op) continue;
      if (is_read(n, k)) {
        if (shows) shown[k] = add({.reference = n.inputs[k], .root = &n, .variable = variable_behind(n.inputs[k])});
        continue;
      }
      shown[k] = view_at(n.inputs[k]);
      if (shown[k] == none || !is_plain) continue;
      const write* const w = write_between(all_[shown[k]], n);
      if (!w) continue;
      const std::uint32_t old = shown[k];
      if (error why = read_again(n, k, old, *w)) return why;
      shown[k] =
          add({.reference = reference_of(old), .root = &n, .variable = all_[old].variable, .reshapes = all_[old].reshapes});
    }
    if (shows) hand_on(n, shown);
    return {};
  }
  std::uint32_t add(view v) {
    all_.push_back(std::move(v));
    return static_cast<std::uint32_t>(all_.size() - 1);
  }
  void hand_on(draft_node& n, const sequence<std::uint32_t>& shown) {
    if (shown.empty() || n.outputs.empty()) return;
    const op_table& t = *n.table;
    const auto show = [&](std::uint32_t port, std::uint32_t v) { view_at({&n, port}) = v; };
    if (t.control == control_flow::switch_) {
      for (std::uint32_t port = 0; port < n.outputs.size(); ++port) show(port, shown[0]);
    } else if (t.control == control_flow::enter) {
      if (shown[0] == none) return;
      view inner = all_[shown[0]];
      for (reshaping& r : inner.reshapes) r.is_outside = true;
      inner.reference = {};
      inner.entered_by = &n;
      outer_.emplace(&n, shown[0]);
      show(0, add(std::move(inner)));
    } else if (t.passes_value) {
      for (std::uint32_t port = 0; port < n.outputs.size() && port < shown.size(); ++port) show(port, shown[port]);
    } else if (shown[0] != none) {
      view other = all_[shown[0]];
      other.reshapes.push_back({&n, false});
      show(0, add(std::move(other)));
    }
  }

  // Returns the variable in the frame of a view.
  draft_edge reference_of(std::uint32_t v) {
    if (!all_[v].reference.from) {
      const auto entered = entered_.find(all_[v].entered_by);
      all_[v].reference = {entered != entered_.end() ? entered->second : &enter_reference(v), 0};
    }
    return all_[v].reference;
  }
  draft_node& enter_reference(std::uint32_t v) {
    draft_node& enter = *all_[v].entered_by;
    const std::uint32_t outer = outer_.at(&enter);
    const draft_edge from = reference_of(outer);
    sequence<draft_node*> waits(enter.controls.begin(), enter.controls.end());
    if (all_[outer].root != &enter) wait_for_view(waits, enter.inputs[0]);
    draft_node& new_node = copy(enter, enter, message{"_reference_in/", enter.name}, waits);
    new_node.inputs[0] = from;
    const auto kept = std::make_shared<reference_enter>();
    made_node& data = draft_.keep({});
    data.owned = kept;
    reference_enter& r = *kept;
    r.description = *enter.table->description;
    r.op = message{"Ref", enter.table->name()}.string();
    r.description.name = r.op;
    r.input_argument = r.description.inputs[0];
    r.output_argument = r.description.outputs[0];
    r.input_argument.is_reference = r.output_argument.is_reference = r.output_argument.is_unsized = true;
    r.description.inputs = {&r.input_argument, 1};
    r.description.outputs = {&r.output_argument, 1};
    r.table = *enter.table;
    r.table.description = &r.description;
    data.outputs[0] = from.from->outputs[from.port];
    new_node.written_op = new_node.table = &r.table;
    new_node.outputs = {&data.outputs[0], 1};
    new_node.id = all_[v].variable->id;  // it belongs to the variable
    new_node.device = all_[v].variable->device;
    new_node.is_colocated = false;
    entered_.emplace(&enter, &new_node);
    return new_node;
  }

  // Replaces input k of a node by the variable, which is read when the node runs.
  error read_again(draft_node& n, std::size_t k, std::uint32_t v, const write& after) {
    if (after.may_replace) return refuse(n, after, only_the_run_knows);
    const draft_edge seen = n.inputs[k];
    sequence<draft_node*> waits(n.controls.begin(), n.controls.end());
    wait_for_view(waits, seen);
    const sequence<reshaping> reshapes = all_[v].reshapes;
    draft_edge from = reference_of(v);
    if (!reshapes.empty())
      for (std::size_t i = 0; i < n.inputs.size(); ++i)
        if (i != k && n.inputs[i].from->kind != draft_node::form::constant) add_once(waits, *n.inputs[i].from);
    draft_node* behind = n.before;
    for (const reshaping& r : reshapes) {
      for (std::size_t i = 1; i < r.by->inputs.size() && r.is_outside; ++i)
        if (r.by->inputs[i].from->kind != draft_node::form::constant)
          return refuse(n, after, "a node outside of the loop computes the shape of the read");
      const bool is_first = &r == reshapes.begin();
      draft_node& new_node = copy(*behind, *r.by, message{"_again_", reads_++, '/', r.by->name},
                                  is_first ? std::span<draft_node* const>(waits) : std::span<draft_node* const>());
      std::ranges::copy(r.by->inputs, new_node.inputs.begin());
      new_node.inputs[0] = from;
      from = {&new_node, 0};
      behind = &new_node;
    }
    n.inputs[k] = from;
    if (reshapes.empty()) set_waits(n, waits);
    return {};
  }
  void set_waits(draft_node& n, std::span<draft_node* const> waits) {
    draft_.wait_for(n, waits);
    for (draft_node* w : waits) w->is_waited_for = true;
  }
  // Only a node that reads a side of a Switch is dead when the side is. So the Switch is repeated for the variable.
  void wait_for_view(sequence<draft_node*>& waits, const draft_edge& seen) {
    draft_node& from = *seen.from;
    if (from.table->control == control_flow::enter) return;  // the reference Enter has the same control inputs
    if (from.table->control != control_flow::switch_) return add_once(waits, from);
    draft_node*& side = sides_[first_[from.place] + seen.port];
    if (!side) {
      side = &copy(from, from, message{"_side_", seen.port, '/', from.name}, {});
      side->inputs[0] = seen;
      side->inputs[1] = from.inputs[1];
    }
    add_once(waits, *side);
  }
  // Returns a copy of a node, whose inputs the caller replaces.
  draft_node& copy(draft_node& behind, const draft_node& of, std::string name, std::span<draft_node* const> waits) {
    has_made_ = true;
    draft_node& new_node = draft_.repeat(behind, of, std::move(name), waits.size());
    set_waits(new_node, waits);
    return new_node;
  }

  // A fetch shows the variable as it is at the end of the run.
  error look_at_fetch(draft_edge& e) {
    if (e.from->kind != draft_node::form::op) return {};
    const std::uint32_t v = view_at(e);
    if (v == none) return {};
    const auto& waited = has_loops_ ? reached_by_loop_ : reached_;
    const write* after = nullptr;
    bool in_loop = false;
    for (std::uint32_t w = 0; w < writes_.size(); ++w) {
      const write& at = writes_[w];
      if (at.variable != all_[v].variable || has(waited[all_[v].root->place], w)) continue;
      if (!after || at.may_replace) after = &at;
      in_loop = in_loop || is_in_loop(*at.at);
    }
    if (!after) return {};
    draft_node& n = *e.from;
    if (after->may_replace) return refuse(n, *after, only_the_run_knows);
    if (all_[v].reshapes.empty() && is_always(n)) {
      e = reference_of(v);
      e.from->is_requested = true;
      return {};
    }
    if (in_loop) return refuse(n, *after, "the write is in a loop, and the fetched read is on a branch or has another shape");
    if (n.table->control != control_flow::none || n.outputs.size() != 1)
      return refuse(n, *after, "the fetched node has several outputs or is on a branch");
    draft_node*& last = last_[&n];
    if (!last) {
      draft_node* behind = nodes_.back();
      while (behind->after) behind = behind->after;
      last = &copy(*behind, n, message{"_last/", n.name}, {});
      std::ranges::copy(n.inputs, last->inputs.begin());
      last->inputs[0] = e;
      view before = all_[v];
      before.reference = reference_of(v);
      if (!before.reshapes.empty() && before.reshapes.back().by == &n) before.reshapes.pop_back();
      if (error why = read_again(*last, 0, add(std::move(before)), *after)) return why;
    }
    e = {last, 0};
    last->is_requested = true;
    return {};
  }
  // Returns whether the value enters the loop and does not leave it.
  bool is_in_loop(const draft_node& n) {
    if (in_loop_.empty()) {
      in_loop_.resize(nodes_.size(), 0);
      for (const draft_node* at : nodes_) {
        if (at->kind != draft_node::form::op) continue;
        int depth = 0;
        const auto join = [&](const draft_node& from) {
          if (from.kind == draft_node::form::op && !is_back_edge(from, *at)) depth = std::max(depth, depth_behind(from));
        };
        for (const draft_edge& e : at->inputs) join(*e.from);
        for (const draft_node* c : at->controls) join(*c);
        in_loop_[at->place] = depth;
      }
    }
    return in_loop_[n.place] > 0;
  }
  int depth_behind(const draft_node& n) const {
    const control_flow does = n.table->control;
    return in_loop_[n.place] + (does == control_flow::enter ? 1 : does == control_flow::exit ? -1 : 0);
  }
  // Returns whether no branch and no loop precedes it.
  bool is_always(const draft_node& n) const {
    sequence<char> seen(nodes_.size(), false);
    sequence<const draft_node*> open(1, &n);
    while (!open.empty()) {
      const draft_node* at = open.back();
      open.pop_back();
      if (at->kind != draft_node::form::op || std::exchange(seen[at->place], true)) continue;
      if (at->table->control != control_flow::none) return false;
      for (const draft_edge& e : at->inputs) open.push_back(e.from);
      for (const draft_node* c : at->controls) open.push_back(c);
    }
    return true;
  }

  static error refuse(const draft_node& n, const write& after, std::string_view why) {
    return error(error_code::unimplemented,
                 message{"this node reads the variable '", after.variable->name, "' by an imported read, after '", after.at->name,
                         "' (", after.at->table->name(), ") writes to it; not supported, because ", why})
        .at(n.name, n.written_op->name(), n.where);
  }

  const graph_state& graph_;
  draft& draft_;
  sequence<draft_node*> nodes_;    // by place
  sequence<std::uint32_t> first_;  // of the outputs of each node, among those of all
  std::uint32_t outputs_ = 0;
  sequence<std::uint32_t> view_of_;  // by output: index in all_
  std::vector<view> all_;
  sequence<const draft_node*> variables_;
  std::vector<write> writes_;
  std::vector<sequence<std::uint32_t>> reached_, reached_by_loop_;  // by place: the writes that lead to the node
  bool has_loops_ = false;
  std::unordered_map<const draft_node*, std::uint32_t> outer_;  // for a constant Enter: the view that it passes into the loop
  std::unordered_map<const draft_node*, draft_node*> entered_;  // for a constant Enter: its reference Enter
  std::unordered_map<std::uint32_t, draft_node*> sides_;        // by output of a Switch
  std::unordered_map<const draft_node*, draft_node*> last_;     // for a fetched node: the node that reads at the end
  sequence<int> in_loop_;
  bool has_made_ = false;
  std::uint32_t reads_ = 0;
};

FLOWGRAPH_SELDOM error resolve_views(const graph_state& g, draft& d) {
  return g.views.ids.empty() ? error() : view_resolution(g, d).run();
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
