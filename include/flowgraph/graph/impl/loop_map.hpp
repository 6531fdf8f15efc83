#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/body_scope.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/graph/loop_map.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM bool detail::is_constant_enter(const node& n) {
  const attribute_value constant = attribute_of(n, "is_constant");
  return n.op->control == control_flow::enter && *constant.get<bool>();
}

// Returns the origin of a history: the back edge of a loop that has made it longer, or the value from before the loop.
FLOWGRAPH_SELDOM const node* detail::push_behind(const edge& e) {
  int nested = 0;  // histories in entries of histories; a file may contain a history that contains itself
  for (const node* n = e.from; nested < 1000;) {
    if (n->op->in_history == history_role::push) return n;
    if (n->op->in_history == history_role::value) {
      const attribute_value index = attribute_of(*n, "index");
      const node* outer = push_behind(n->inputs[0]);
      const auto i = static_cast<std::size_t>(*index.get<std::int64_t>()) + 1;
      if (!outer || i >= outer->inputs.size()) return nullptr;
      n = outer->inputs[i].from;
      ++nested;
      continue;
    }
    if (n->inputs.empty()) return nullptr;
    const node* from = n->inputs[0].from;
    if (n->op->control == control_flow::merge && n->inputs.size() == 2) {
      const node& next = *n->inputs[1].from;
      if (next.op->control == control_flow::next_iteration &&
          (next.inputs[0].from->op->in_history == history_role::push || next.inputs[0].from->op->in_history == history_role::sum))
        from = next.inputs[0].from;
    } else if (n->op->in_history == history_role::sum) {
      from = n->inputs[1].from;  // of a sum that began empty
    } else if (n->op->control == control_flow::none && n->op->in_history != history_role::pop) {
      return nullptr;
    }
    // The initial values of a loop are computed before it.
    if (from->id >= n->id && from->op->in_history != history_role::push && from->op->in_history != history_role::sum)
      return nullptr;
    n = from;
  }
  return nullptr;
}

FLOWGRAPH_SELDOM bool detail::is_history(const edge& e) {
  if (e.from->outputs[e.port].type != dtype::resource) return false;
  for (const node* n = e.from;; n = n->inputs[0].from) {
    if (n->op->in_history == history_role::value) return push_behind({const_cast<node*>(n), 0}) != nullptr;
    if (n->op->in_history != history_role::none) return true;
    if (n->op->control == control_flow::none || n->inputs.empty() || n->inputs[0].from->id >= n->id) return false;
  }
}

FLOWGRAPH_SELDOM const node* detail::handle_behind(const edge& e) {
  if (e.from->outputs[e.port].type != dtype::resource) return nullptr;
  for (edge at = e;;) {
    const node& n = *at.from;
    if (n.op->of_variable == variable_role::handle) return &n;
    const std::size_t from = n.op->control == control_flow::none ? at.port : 0;
    const bool hands_on = n.op->control != control_flow::none || n.op->passes_value;
    if (!hands_on || from >= n.inputs.size() || n.inputs[from].from->id >= n.id) return nullptr;
    at = n.inputs[from];
  }
}

// Nodes are in the order of their creation: an input that comes later than its reader is the back edge of a loop.
FLOWGRAPH_SELDOM detail::loop_map::loop_map(const graph_state& g)
    : frames_(g.nodes.size()), guards_(g.nodes.size()), guards_of_true_(g.nodes.size()) {
  for (const node* n : g.nodes) {
    std::uint32_t frame = 0;
    const auto join = [&](const node& from) {
      if (from.id < n->id && !is_free(from)) frame = frames_[from.id];
    };
    for (const edge& e : n->inputs) join(*e.from);
    for (const node* c : n->control_inputs) join(*c);
    if (n->op->control == control_flow::enter) frame = child(frame, *n);
    if (n->op->control == control_flow::exit && frame != 0) frame = loop(frame).parent;
    frames_[n->id] = frame;
    find_guards(*n);
  }
  if (!loops_.empty()) find_variables(g);
}

FLOWGRAPH_SELDOM std::uint32_t detail::loop_map::child(std::uint32_t parent, const node& enter) {
  const attribute_value name = attribute_of(enter, "frame_name");
  const std::string& wanted = *name.get<std::string>();
  for (std::uint32_t i = 0; i < loops_.size(); ++i)
    if (loops_[i].parent == parent && loops_[i].name == wanted) return i + 1;
  loops_.push_back({parent, {}, wanted, nullptr, {}, {}});
  return static_cast<std::uint32_t>(loops_.size());
}

FLOWGRAPH_SELDOM void detail::loop_map::find_variables(const graph_state& g) {
  // For each Merge: its frame, and the index of the variable.
  detail::sequence<std::pair<std::uint32_t, std::uint32_t>> place(g.nodes.size(), {0, 0});
  for (node* n : g.nodes) {
    const std::uint32_t frame = frames_[n->id];
    const auto variable_of = [&](const node& merge) -> loop_variable* {
      const auto [f, i] = place[merge.id];
      return f ? &loops_[f - 1].variables[i] : nullptr;
    };
    switch (n->op->control) {
      case control_flow::enter:
        if (is_constant_enter(*n)) loops_[frame - 1].constants.push_back(n);
        break;
      case control_flow::loop_cond:
        if (frame != 0) loops_[frame - 1].condition = n;
        break;
      case control_flow::merge: {
        if (frame == 0 || n->inputs.size() != 2 || n->inputs[0].from->op->control != control_flow::enter) break;
        auto& variables = loops_[frame - 1].variables;
        place[n->id] = {frame, static_cast<std::uint32_t>(variables.size())};
        node* next = n->inputs[1].from;
        variables.push_back(
            {n->inputs[0].from, n, nullptr, next->op->control == control_flow::next_iteration ? next : nullptr, nullptr});
        break;
      }
      case control_flow::switch_:
        if (loop_variable* v = variable_of(*n->inputs[0].from); v && n->inputs[1].from->op->control == control_flow::loop_cond)
          v->branch = n;
        break;
      case control_flow::exit: {
        const node& from = *n->inputs[0].from;
        if (from.op->control != control_flow::switch_) break;
        if (loop_variable* v = variable_of(*from.inputs[0].from)) v->exit = n;
        break;
      }
      default: break;
    }
  }
}

FLOWGRAPH_SELDOM void detail::loop_map::find_guards(const node& n) {
  const control_flow control = n.op->control;
  if (control == control_flow::exit) {
    const std::uint32_t inside = frames_[n.inputs[0].from->id];
    if (inside != 0) guards_[n.id] = loop(inside).guards;
    return;
  }
  const auto& of_none = guards_[n.id];
  const detail::sequence<switch_side>* longest = &of_none;
  const auto take = [&](const detail::sequence<switch_side>& of_input) {
    if (of_input.size() > longest->size()) longest = &of_input;
  };
  if (control == control_flow::merge) {
    detail::sequence<switch_side> common;
    bool is_first = true;
    for (const edge& e : n.inputs) {
      if (e.from->id >= n.id) continue;
      const auto& of_input = guards_of(e);
      if (is_first) common = of_input;
      else common.erase(std::mismatch(common.begin(), common.end(), of_input.begin(), of_input.end()).first, common.end());
      is_first = false;
    }
    guards_[n.id] = std::move(common);
    return;
  }
  for (const edge& e : n.inputs)
    if (e.from->id < n.id) take(guards_of(e));
  for (const node* c : n.control_inputs)
    if (c->id < n.id && c->op->control != control_flow::switch_) take(guards_[c->id]);
  if (control == control_flow::enter) {  // alive in all iterations of its loop
    auto& of_loop = loops_[frames_[n.id] - 1].guards;
    if (longest->size() > of_loop.size()) of_loop = *longest;
    return;
  }
  guards_[n.id] = detail::sequence<switch_side>(*longest);
  if (control != control_flow::switch_ || n.inputs[1].from->op->control == control_flow::loop_cond) return;
  guards_of_true_[n.id] = guards_[n.id];
  guards_[n.id].push_back({n.inputs[1], false});
  guards_of_true_[n.id].push_back({n.inputs[1], true});
}

FLOWGRAPH_SELDOM const detail::sequence<detail::switch_side>& detail::loop_map::guards_of(const edge& e) const {
  static const detail::sequence<switch_side> unguarded;
  if (e.from->id >= guards_.size()) return unguarded;
  const bool is_true_side = e.port == 1 && e.from->op->control == control_flow::switch_ &&
                            e.from->inputs[1].from->op->control != control_flow::loop_cond;
  return is_true_side ? guards_of_true_[e.from->id] : guards_[e.from->id];
}

FLOWGRAPH_SELDOM void detail::loop_map::put(const node& n, std::uint32_t frame, detail::sequence<switch_side> guards) {
  if (n.id >= frames_.size()) frames_.resize(n.id + 1), guards_.resize(n.id + 1), guards_of_true_.resize(n.id + 1);
  frames_[n.id] = frame;
  guards_[n.id] = std::move(guards);
}

}  // namespace flowgraph
