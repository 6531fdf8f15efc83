#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/passes/prune.hpp>
#include <flowgraph/passes/waiting_rules.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class pruning {
public:
  pruning(const graph_state& g, std::span<const any_out> feeds, std::span<const any_out> fetches, std::span<const target> targets,
          draft& drafted)
      : graph_(g), feeds_(feeds), fetches_(fetches), targets_(targets), draft_(drafted), is_fed_(g.nodes.size(), false),
        is_needed_(g.nodes.size(), false), made_of_(g.nodes.size(), nullptr) {}

  error make() {
    if (error why = check_handles()) return why;
#ifdef FLOWGRAPH_ALL_INLINE
    draft_.waiting = &rules_of_waiting_nodes();
#else
    if (graph_.waiting) draft_.waiting = &graph_.waiting();
#endif
    const std::size_t needed = find_needed();
    add_nodes(needed);
    if (error why = add_edges()) return why;
    for (draft_node& n : draft_)
      if (n.kind == draft_node::form::op && n.table->control == control_flow::merge)
        if (const char* why = refused_merge(n)) return refuse(*graph_.nodes[n.id], why);
    for (const any_out& f : fetches_) draft_.fetches.push_back(edge_to({f.source, f.port}));
    for (const target& t : targets_) draft_.targets.push_back(made_of_[t.source->id]);
    for (const draft_edge& e : draft_.fetches) e.from->is_requested = true;
    for (draft_node* t : draft_.targets)
      if (t) t->is_requested = true;
    return {};
  }

private:
  error check_node(const node* n, const char* what) const {
    if (!n) return error(error_code::invalid_argument, message{"an empty handle is ", what});
    if (n->graph != &graph_)
      return error(error_code::invalid_argument, message{what, ": '", n->name, "' belongs to another graph"});
    return n->is_poison() ? graph_.first_error : error();
  }
  error check_handle(const any_out& o, const char* what) const {
    if (error why = check_node(o.source, what)) return why;
    if (o.port >= o.source->outputs.size())
      return error(error_code::invalid_argument, message{"node '", o.source->name, "' has no output ", o.port});
    return {};
  }
  error check_handles() {
    for (std::size_t i = 0; i < feeds_.size(); ++i) {
      const any_out& f = feeds_[i];
      if (error why = check_handle(f, "fed")) return why;
      for (std::size_t j = 0; j < i; ++j)
        if (feeds_[j] == f) return error(error_code::invalid_argument, message{"'", f.name(), "' is fed twice"});
      is_fed_[f.source->id] = true;
    }
    for (const any_out& f : fetches_)
      if (error why = check_handle(f, "fetched")) return why;
    for (const target& t : targets_)
      if (error why = check_node(t.source, "run")) return why;
    return {};
  }
  static error refuse(const node& n, const error& why) { return why.at(n.name, n.op->name(), n.where); }
  static error refuse(const node& n, const char* why) { return refuse(n, error(error_code::invalid_argument, why)); }

  // Returns the index of the feed that replaces an edge; the number of feeds if there is none.
  std::size_t feed_for(const edge& e) const {
    std::size_t i = 0;
    if (!e.from || !is_fed_[e.from->id]) return feeds_.size();
    while (i < feeds_.size() && !(feeds_[i].source == e.from && feeds_[i].port == e.port)) ++i;
    return i;
  }
  bool is_fed(const edge& e) const { return feed_for(e) < feeds_.size(); }
  // A control edge from a fed placeholder has no effect.
  bool is_cut(const node* control) const { return control->op->description->placeholder && is_fed_[control->id]; }

  std::size_t find_needed() {
    std::size_t count = 0;
    sequence<const node*> stack;
    auto need = [&](const node* n) {
      if (!n || is_needed_[n->id]) return;
      is_needed_[n->id] = true;
      ++count;
      stack.push_back(n);
    };
    for (const any_out& f : fetches_)
      if (!is_fed({f.source, f.port})) need(f.source);
    for (const target& t : targets_) need(t.source);
    while (!stack.empty()) {
      const node* n = stack.back();
      stack.pop_back();
      for (const edge& e : n->inputs)
        if (!is_fed(e)) need(e.from);
      for (const node* c : n->control_inputs)
        if (!is_cut(c)) need(c);
    }
    return count;
  }

  void add_nodes(std::size_t needed) {
    draft_.graph = &graph_;
    for (const any_out& f : feeds_) {
      draft_node& n = draft_.add(0, 0);
      n.kind = draft_node::form::feed;
      n.stand_for(*f.source);
      n.attributes = f.source->attributes;
      n.outputs = f.source->outputs.subspan(f.port, 1);
      n.first_port = f.port;
      n.is_one_of_several = f.source->outputs.size() != 1;
      draft_.feeds.push_back(&n);
    }
    for (auto at = graph_.nodes.begin(); needed > 0; ++at) {
      const node& n = **at;
      if (!is_needed_[n.id]) continue;
      --needed;
      const auto cut = std::count_if(n.control_inputs.begin(), n.control_inputs.end(), [&](const node* c) { return is_cut(c); });
      draft_node& new_node = draft_.add(n.inputs.size(), n.control_inputs.size() - static_cast<std::size_t>(cut));
      // With control inputs a constant may be dead or in a loop, so it stays a node.
      new_node.kind = n.op->description->constant && n.control_inputs.empty() ? draft_node::form::constant : draft_node::form::op;
      draft_.has_constants = draft_.has_constants || new_node.kind == draft_node::form::constant;
      draft_.has_waiting_constants =
          draft_.has_waiting_constants || (n.op->description->constant && new_node.kind == draft_node::form::op);
      draft_.has_identities = draft_.has_identities || n.op->passes_value;
      new_node.stand_for(n);
      new_node.table = n.op;
      new_node.attributes = n.attributes;
      new_node.list_sizes = n.list_sizes;
      new_node.outputs = n.outputs;
      new_node.device = n.device;
      made_of_[n.id] = &new_node;
    }
  }
  draft_edge edge_to(const edge& e) const {
    const std::size_t feed = feed_for(e);
    return feed < feeds_.size() ? draft_edge{draft_.feeds[feed], 0} : draft_edge{made_of_[e.from->id], e.port};
  }
  // Only a loop's NextIteration may feed a node that was made before it.
  error add_edges() {
    for (draft_node& new_node : draft_) {
      if (new_node.kind == draft_node::form::feed) continue;
      const node& n = *graph_.nodes[new_node.id];
      for (std::size_t k = 0; k < n.inputs.size(); ++k) {
        const edge& e = n.inputs[k];
        if (!e.from) return refuse(n, "input of a loop was never connected");
        new_node.inputs[k] = edge_to(e);
        const draft_node& from = *new_node.inputs[k].from;
        if (from.id >= new_node.id && from.kind != draft_node::form::feed && from.table->control != control_flow::next_iteration)
          return refuse(n, error(error_code::invalid_argument, message{"a cycle that is not a loop: '", n.name, "' depends on '",
                                                                       e.from->name, "', which depends on '", n.name, "'"}));
        if (is_weighed(n.op->control, k)) new_node.inputs[k].from->is_weighed = true;
      }
      std::size_t control = 0;
      for (const node* c : n.control_inputs)
        if (!is_cut(c)) {
          new_node.controls[control] = made_of_[c->id];
          new_node.controls[control++]->is_waited_for = true;
        }
    }
    return {};
  }
  // Input k of a Merge, or the condition of a Switch or of a loop.
  static bool is_weighed(control_flow reader, std::size_t k) {
    return reader == control_flow::merge || reader == control_flow::loop_cond || (reader == control_flow::switch_ && k == 1);
  }
  // Returns the fault of a Merge; null if there is none. A Merge at the head of a loop has two inputs: an Enter and a NextIteration.
  static const char* refused_merge(const draft_node& merge) {
    if (merge.inputs.empty()) return "the Merge has no inputs";
    bool is_one_enter = merge.inputs.size() > 1, enters = false, comes_back = false;
    for (const draft_edge& e : merge.inputs) {
      if (e.from->kind == draft_node::form::feed) return nullptr;
      const bool is_enter = e.from->table->control == control_flow::enter;
      is_one_enter = is_one_enter && is_enter && e == merge.inputs[0];
      enters = enters || is_enter;
      comes_back = comes_back || e.from->table->control == control_flow::next_iteration;
    }
    if (is_one_enter) return "input of a loop was never connected: it stands for a back edge";
    return comes_back && !enters ? "a NextIteration leads to this Merge, but no Enter does" : nullptr;
  }

  const graph_state& graph_;
  std::span<const any_out> feeds_, fetches_;
  std::span<const target> targets_;
  draft& draft_;
  sequence<char> is_fed_;          // by node id: some output is fed
  sequence<char> is_needed_;       // by node id
  sequence<draft_node*> made_of_;  // by node id
};

FLOWGRAPH_INLINE error prune(const graph_state& g, std::span<const any_out> feeds, std::span<const any_out> fetches,
                             std::span<const target> targets, draft& drafted) {
  return pruning(g, feeds, fetches, targets, drafted).make();
}

}  // namespace flowgraph::detail
