#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/interruption_checks.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/runtime/session_state.hpp>
#include <flowgraph/runtime/step_state.hpp>

#include <algorithm>
#include <chrono>
#include <map>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_SELDOM error session_elsewhere::cannot(std::string_view call) const {
  return error(error_code::unimplemented, message{call, " does not work yet for a session that runs elsewhere, at ", address()});
}
FLOWGRAPH_SELDOM result<std::shared_ptr<const plan>> session_elsewhere::make_plan(const flowgraph::graph& g,
                                                                                  const plan_request& request) {
  auto parts = plan_for(g, request);
  if (!parts) return parts.error();
  auto result = std::make_shared<plan>();
  result->graph = &g.state();
  result->graph_owner = g.state().shared_from_this();
  result->frames.resize(1);
  result->parts = *std::move(parts);
  return std::shared_ptr<const plan>(std::move(result));
}
FLOWGRAPH_SELDOM result<std::optional<std::uint32_t>> session_elsewhere::hold(const run_options&) {
  return std::optional<std::uint32_t>(0);
}
FLOWGRAPH_SELDOM result<saved_state> session_elsewhere::save(const flowgraph::graph&) { return cannot("save_state"); }
FLOWGRAPH_SELDOM error session_elsewhere::load(const flowgraph::graph&, const saved_state&) { return cannot("load_state"); }
FLOWGRAPH_SELDOM result<places_elsewhere> session_elsewhere::places(const flowgraph::graph&) { return cannot("explain"); }

FLOWGRAPH_SELDOM error session_state::admit(const run_options* run) {
  if (is_closed) return refused();
  if (error why = gate.pass(run)) return why;
  return is_closed ? refused() : error();
}

// Returns whether each run in progress waits at the gate, or for other runs without anything left to do.
FLOWGRAPH_SELDOM bool session_state::is_at_rest(std::uint32_t elsewhere_resting) {
  std::uint32_t resting = gate.standing() + elsewhere_resting;
  threading::lock_guard lock(mutex);
  std::uint32_t begun = in_progress;
  for (const step_state* s : steps) begun += s->is_running.load();
  for (const auto& [hash, p] : plans) {
    threading::lock_guard runners(p->mutex);
    for (const auto& runner : p->runners)
      if (const auto e = runner.lock()) resting += e->rests() != plan_runner::resting::no;
  }
  return begun == resting;
}

// For remote runs, the request hold() itself holds them. Local runs are checked twice: after the first check, a run that has
// ended since may have answered a waiting run. When all runs are held, no run can answer.
FLOWGRAPH_SELDOM error session_state::pause(const run_options& limits) {
  if (error why = gate.shut(limits)) return why;
  is_shut = true;
  const std::chrono::microseconds longest(elsewhere ? 20'000 : 1'000);  // each check there is a request to every task
  for (auto moment = std::chrono::microseconds(20);; moment = std::min(2 * moment, longest)) {
    if (elsewhere) {
      const auto held = elsewhere->hold(limits);
      if (!held) return resume(), held.error();
      if (*held && is_at_rest(**held)) return {};
      elsewhere->go_on();
    } else if (is_at_rest()) {
      gate.hold(true);
      if (is_at_rest()) return {};
      gate.hold(false);
    }
    if (error why = check_stop(limits)) return resume(), why;
    threading::this_thread::sleep_for(moment);
  }
}

FLOWGRAPH_SELDOM void session_state::resume() {
  is_shut = is_closed.load();
  if (elsewhere) elsewhere->go_on();
  gate.open();
  if (is_closed) is_shut = true;
}

// Called with `mutex` held. Returns the first numbers of runs that wait, and that begin again when the state is loaded: these runs
// will draw the same numbers again.
FLOWGRAPH_SELDOM std::map<std::uint32_t, random_ordinal> session_state::begun_anew() {
  std::map<std::uint32_t, random_ordinal> result;  // by node id
  for (const auto& [hash, p] : plans) {
    threading::lock_guard runners(p->mutex);
    for (const auto& weak : p->runners) {
      const auto e = weak.lock();
      if (!e || e->rests() != plan_runner::resting::to_begin_anew) continue;
      const auto ordinals = e->ordinals();
      for (std::size_t i = 0; i < ordinals.size(); ++i) {
        random_ordinal& first = result.try_emplace(p->plan->random_nodes[i]->id, ordinals[i]).first->second;
        if (ordinals[i].run < first.run) first = ordinals[i];
      }
    }
  }
  return result;
}

FLOWGRAPH_SELDOM result<saved_state> session_state::save(container::large_contents how) {
  saved_state result;
  std::map<std::uint32_t, random_ordinal> begun;
  {
    threading::lock_guard lock(mutex);
    begun = begun_anew();
  }
  {
    threading::lock_guard lock(counting);
    for (std::uint32_t id = 0; id < counters.size(); ++id) {
      if (!counters[id]) continue;
      const node* const n = graph.at(id);
      saved_state::draws d{std::string(n->name), counters[id]->runs, counters[id]->drawn};
      if (const auto at = begun.find(id); at != begun.end()) {
        d.runs = std::min(d.runs, at->second.run);
        d.numbers = std::min(d.numbers, at->second.begun);
      }
      if (d.runs != 0 || d.numbers != 0) result.random.push_back(std::move(d));
    }
  }
  auto contents = services.resources->save(how);
  if (!contents) return contents.error();
  result.resources = *std::move(contents);
  return result;
}

FLOWGRAPH_SELDOM error session_state::load(const saved_state& from) {
  sequence<std::pair<const node*, saved_state::draws>> known;
  for (const saved_state::draws& d : from.random)
    if (const node* n = graph.find(d.node)) known.emplace_back(n, d);
  if (error why = services.resources->check_files(from.files)) return why;
  if (error why = services.resources->load(from.resources)) return why;
  if (!from.files.empty())
    if (error why = services.resources->load_files(from.files)) return why;
  threading::lock_guard lock(counting);
  for (const auto& c : counters) {
    if (!c) continue;
    c->runs = 0;
    c->drawn = 0;
  }
  for (const auto& [n, d] : known) {
    random_counter& c = counter_while_locked(n->id);
    c.runs = d.runs;
    c.drawn = d.numbers;
  }
  return {};
}

}  // namespace detail

FLOWGRAPH_SELDOM session_pause::~session_pause() {
  if (session_) session_->resume();
}

FLOWGRAPH_SELDOM session_pause session::pause(const run_options& options) { return try_pause(options).value(); }
FLOWGRAPH_SELDOM result<session_pause> session::try_pause(const run_options& options) {
  if (!state_) return detail::session_state::moved();
  if (state_->is_closed) return detail::session_state::refused();
  if (error why = state_->pause(options)) return why;
  return session_pause(state_);
}

FLOWGRAPH_SELDOM saved_state session::save_state() const { return try_save_state().value(); }
FLOWGRAPH_SELDOM result<saved_state> session::try_save_state(container::large_contents how) const {
  if (!state_) return detail::session_state::moved();
  if (state_->elsewhere) return state_->elsewhere->save(state_->graph);
  return state_->save(how);
}
FLOWGRAPH_SELDOM void session::load_state(const saved_state& from) { try_load_state(from).value(); }
FLOWGRAPH_SELDOM result<void> session::try_load_state(const saved_state& from) {
  if (!state_) return detail::session_state::moved();
  if (error why = state_->elsewhere ? state_->elsewhere->load(state_->graph, from) : state_->load(from)) return why;
  return {};
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
