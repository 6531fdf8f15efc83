#pragma once
// Runs in pieces: session::begin_partial and partial_run.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/detail/look_up.hpp>
#include <flowgraph/runtime/impl/step.hpp>
#include <flowgraph/runtime/session.hpp>
#include <flowgraph/runtime/session_state.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_SELDOM std::string feeds_behind(const plan& p) {
  std::string text(p.fetches.size() * p.feeds.size(), '\0');
  for (std::size_t f = 0; f < p.feeds.size(); ++f) {
    if (p.feeds[f] == no_index) continue;
    sequence<char> is_reached(p.records.size());
    sequence<std::uint32_t> stack{p.feeds[f]};
    is_reached[p.feeds[f]] = true;
    while (!stack.empty()) {
      const plan_record& r = p.records[stack.back()];
      stack.pop_back();
      for (const consumer& c : std::span(p.consumers).subspan(r.first_consumer, r.consumer_count))
        if (!std::exchange(is_reached[c.record], true)) stack.push_back(c.record);
    }
    for (std::size_t k = 0; k < p.fetches.size(); ++k)
      if (p.fetch_records[k] != no_index && is_reached[p.fetch_records[k]]) text[k * p.feeds.size() + f] = 1;
  }
  return text;
}

}  // namespace detail

FLOWGRAPH_INLINE result<partial_run> session::try_begin_partial(std::span<const any_out> feeds, std::span<const any_out> fetches,
                                                                std::span<const target> targets, const run_options& options) {
  if (!state_) return detail::session_state::moved();
  if (state_->is_closed) return detail::session_state::refused();
  auto found = state_->plan_for({.feeds = feeds,
                                 .fetches = fetches,
                                 .targets = targets,
                                 .devices = &state_->devices,
                                 .is_partial_run = true,
                                 .shows_nodes = detail::shows_nodes(options),
                                 .limits = &options});
  if (!found) return found.error();
  const detail::plan& plan = *(*found)->plan;
  const auto* known_needs = plan.parts ? plan.parts->feeds_behind() : nullptr;
  if (state_->elsewhere && !known_needs) return state_->only_here("a partial run");
  owned<detail::partial_state> p(new detail::partial_state);
  p->session = state_;
  p->planned = *found;
  p->traced.emplace(options);
  p->options = p->traced->options();
  p->fed.assign(feeds.size(), false);
  p->fetched.assign(fetches.size(), false);
  p->needs = known_needs ? *known_needs : detail::feeds_behind(plan);
  p->runs = state_->take_runner(**found, detail::runner_of(plan));
  state_->draw_ordinals(*p->planned->plan, p->runs->ordinals());
  p->runs->start(p->options, true);
  return partial_run(std::move(p));
}

FLOWGRAPH_INLINE partial_run::partial_run(owned<detail::partial_state> state) noexcept : state_(std::move(state)) {}
FLOWGRAPH_INLINE partial_run::partial_run(partial_run&&) noexcept = default;
FLOWGRAPH_INLINE partial_run& partial_run::operator=(partial_run&& other) noexcept {
  partial_run dropped(std::move(*this));
  state_ = std::move(other.state_);
  return *this;
}
FLOWGRAPH_INLINE partial_run::~partial_run() {
  if (!state_ || state_->ended) return;
  state_->runs->end(false);
  state_->session->give_back(*state_->planned, std::move(state_->runs));
}

FLOWGRAPH_INLINE result<std::vector<any_tensor>> partial_run::try_continue(std::span<const fed> feeds,
                                                                           std::span<const any_out> fetches) {
  if (!state_) return error(error_code::failed_precondition, "the partial run has been moved from");
  detail::partial_state& p = *state_;
  if (p.ended) return error(error_code::failed_precondition, "this partial run has ended with an error");
  const detail::run_in_progress counted(*p.session);
  if (p.session->is_shut) [[unlikely]]
    if (error why = p.session->admit(&p.options)) return why;
  auto index_of = [](const std::vector<any_out>& list, const any_out& o) {
    return static_cast<std::size_t>(std::find(list.begin(), list.end(), o) - list.begin());
  };
  auto refuse = [](const any_out& o, const char* why) {
    return error(error_code::invalid_argument,
                 o.source ? message{"'", o.name(), "' ", why}.string() : "an empty handle was given to a partial run");
  };
  detail::sequence<char> given = p.fed, asked = p.fetched;
  std::vector<any_out> edges;
  detail::sequence<std::size_t> wanted;
  for (const fed& f : feeds) {
    auto edge = detail::edge_of(p.session->graph, f);
    if (!edge) return edge.error();
    edges.push_back(*edge);
    const std::size_t i = index_of(p.planned->feeds, *edge);
    if (i == given.size()) return refuse(*edge, "was not named as a feed when the partial run began");
    if (given[i]) return refuse(*edge, "has been fed already");
    given[i] = true;
    if (error why = detail::check_feed(*edge, f.value)) return why;
  }
  for (const any_out& o : fetches) {
    const std::size_t i = index_of(p.planned->fetches, o);
    if (i == asked.size()) return refuse(o, "was not named as a fetch when the partial run began");
    if (asked[i]) return refuse(o, "has been fetched already");
    asked[i] = true;
    wanted.push_back(i);
    for (std::size_t f = 0; f < given.size(); ++f)
      if (!given[f] && p.needs[i * given.size() + f] != 0)
        return detail::invalid_argument(
                   {"the fetched edge depends on '", p.planned->feeds[f].name(), "', which has not been fed yet"})
            .at(o.source->name, o.source->op->name(), o.source->where);
  }
  p.fed = std::move(given);
  for (std::size_t i = 0; i < edges.size(); ++i) p.runs->feed(index_of(p.planned->feeds, edges[i]), feeds[i].value);
  p.runs->want(wanted);
  if (error why = p.runs->drive()) {
    p.ended = true;
    p.runs->end(false);
    p.traced.reset();
    p.session->give_back(*p.planned, std::move(p.runs));
    return why;
  }
  for (const std::size_t i : wanted)  // a missing value takes nothing away: feed more and fetch again
    if (error why = p.runs->missing(i)) return why;
  std::vector<any_tensor> values;
  for (const std::size_t i : wanted) values.push_back(*p.runs->take(i));
  p.fetched = std::move(asked);
  return values;
}

}  // namespace flowgraph
