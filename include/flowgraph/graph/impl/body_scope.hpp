#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/graph/body_scope.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/graph/impl/input_capture.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_SELDOM detail::open_body::open_body(graph_state& state, body_scope* body, std::uint32_t number)
    : state_(state), before_(state.bodies.open), number_before_(state.bodies.number),
      control_before_(std::move(state.scope.control)) {
  state.bodies.open = body;
  state.bodies.number = number;
  state.scope.control.clear();
}
FLOWGRAPH_SELDOM detail::open_body::~open_body() {
  state_.bodies.open = before_;
  state_.bodies.number = number_before_;
  state_.scope.control = std::move(control_before_);
}

FLOWGRAPH_SELDOM std::uint32_t detail::next_body_number(graph_state& state, std::string_view name) {
  state.bodies.records.push_back({std::string(name), state.bodies.number});
  state.bodies.rules = &rules_of_bodies;
  return ++state.bodies.count;
}

FLOWGRAPH_SELDOM bool detail::is_free(const node& n) {
  return !n.is_poison() && n.op->description->constant && n.control_inputs.empty();
}

FLOWGRAPH_SELDOM bool detail::is_within(const graph_state& state, std::uint32_t body, std::uint32_t other) {
  while (body != other && body != 0) body = state.bodies.records[body - 1].around;
  return body == other;
}

FLOWGRAPH_SELDOM detail::body_in_place::body_in_place(graph_state& state, body_scope* body)
    : state_(state), before_(body ? std::exchange(state.bodies.open, body) : state.bodies.open) {}
FLOWGRAPH_SELDOM detail::body_in_place::~body_in_place() { state_.bodies.open = before_; }

// A value in a loop or a branch may be read in the same body, and in the bodies inside of it.
FLOWGRAPH_SELDOM error detail::check_reach(const graph_state& g, const node& from, const std::string& name) {
  if (from.body == 0 || from.body == g.bodies.number || is_free(from) || is_within(g, g.bodies.number, from.body)) return {};
  return detail::invalid_argument({"'", name, "' is inside of ", g.bodies.records[from.body - 1].name, ": return it from there"});
}

FLOWGRAPH_SELDOM detail::open_to_closed_bodies::open_to_closed_bodies(graph_state& state)
    : state_(state), before_(std::exchange(state.bodies.reads_closed, true)) {}
FLOWGRAPH_SELDOM detail::open_to_closed_bodies::~open_to_closed_bodies() { state_.bodies.reads_closed = before_; }

FLOWGRAPH_SELDOM detail::noted_effects::noted_effects(graph_state& state)
    : state_(state), before_(std::exchange(state.bodies.effects, {})), ends_before_(std::exchange(state.bodies.loop_ends, {})) {}
FLOWGRAPH_SELDOM detail::noted_effects::~noted_effects() {
  state_.bodies.effects = std::move(before_);
  state_.bodies.loop_ends = std::move(ends_before_);
}

FLOWGRAPH_SELDOM bool detail::noted_effects::is_used(const node* n) const {
  threading::lock_guard lock(state_.mutex);
  return std::any_of(state_.nodes.begin() + n->id + 1, state_.nodes.end(), [&](const node* later) {
    return std::any_of(later->inputs.begin(), later->inputs.end(), [&](const edge& e) { return e.from == n; });
  });
}

FLOWGRAPH_SELDOM detail::sequence<node*> detail::noted_effects::take() {
  auto noted = std::exchange(state_.bodies.effects, {});
  has_loop_ = has_loop_ || !state_.bodies.loop_ends.empty();
  state_.bodies.loop_ends.clear();
  // A node that counts its runs, such as a draw of random numbers or a Print, runs for its consumers. Only if it has none, it runs
  // for its effect.
  erase_if(noted, [&](const auto& e) { return e.first->op->counts_runs && is_used(e.first); });
  detail::sequence<node*> taken;
  const bool changes = std::any_of(noted.begin(), noted.end(), [](const auto& e) { return e.second; });
  if (changes)
    for (const auto& e : noted) taken.push_back(e.first);
  if (!noted.empty()) found_ = std::max(found_, changes ? effect::changes : effect::reads);
  return taken;
}

FLOWGRAPH_SELDOM void detail::note_effect(graph_state& state, node* n, effect what, bool of_loop) {
  if (state.bodies.number == 0 || what == effect::none || n->is_poison()) return;
  state.bodies.effects.emplace_back(n, what == effect::changes);
  if (of_loop) state.bodies.loop_ends.push_back(n);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
