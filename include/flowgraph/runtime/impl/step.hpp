#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/schedule/arena_schedule.hpp>
#include <flowgraph/runtime/schedule/flow_rules.hpp>
#include <flowgraph/runtime/step.hpp>
#include <flowgraph/runtime/step_state.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE step_state::step_state(std::shared_ptr<session_state> s, std::shared_ptr<detail::planned> p)
    : session(std::move(s)), planned(std::move(p)) {
  threading::lock_guard lock(session->mutex);
  session->steps.push_back(this);
}

FLOWGRAPH_INLINE step_state::~step_state() {
  {
    threading::lock_guard lock(session->mutex);
    erase_if(session->steps, [this](const step_state* s) { return s == this; });
  }
  schedules.clear();
  if (runs) session->give_back(*planned, std::move(runs));
}

FLOWGRAPH_INLINE error step_state::prepare(sequence<shape> shapes) {
  const detail::plan& p = *planned->plan;
  if (session->options.dynamic) {
    queued = "the session is dynamic";
  } else if (p.parts) {
    queued = "the plan is cut between devices";
  } else if (p.step_rules) {
    if (auto result = p.step_rules->schedule(*session, *planned, queued)) schedules.push_back(std::move(result));
  } else if (p.has_async) {
    queued = "a kernel is asynchronous";
  } else if (p.has_run_resources) {
    queued = "an op has a resource that lives as long as a run";
  }
  if (queued) {
#ifdef FLOWGRAPH_ALL_INLINE
    runs = session->take_runner(*planned, &make_executor);
#else
    runs = session->take_runner(*planned, p.runner ? p.runner : session->options.dynamic.runner_);
#endif
  }
  const bool has_shapes = std::all_of(shapes.begin(), shapes.end(), [](const shape& s) { return s.is_known(); });
  if (queued || p.step_rules || !has_shapes) return {};
  auto result = arena_schedule::make(*session, *planned, std::move(shapes));
  if (!result) return result.error();
  schedules.push_back(*std::move(result));
  return {};
}

// Returns the layout of a loop inside of this body. Null: the loop has no layout, or is not inside of the body.
FLOWGRAPH_SELDOM const body_layout* layout_of_loop(const plan& p, const body_plan& body, const body_layout* layout,
                                                   std::uint32_t loop) {
  for (std::size_t k = 0; layout && k < body.inner.size(); ++k) {
    if (body.inner[k] == loop) return &layout->inner[k];
    if (const body_layout* const found = layout_of_loop(p, p.loop(body.inner[k]), &layout->inner[k], loop)) return found;
  }
  return nullptr;
}

FLOWGRAPH_INLINE step_report step_state::report() const {
  step_report result{};
  result.passes = std::vector<pass_report>(planned->plan->passes);
  if (!schedules.empty()) schedules.front()->describe(result);
  if (queued) result.queued = queued;
  const root_schedule* const root = schedules.empty() || !schedules.front()->body() ? nullptr : schedules.front().get();
  for (const plan_frame& f : std::span(planned->plan->frames).subspan(1)) {
    const char* why = f.queued ? f.queued : "the session is dynamic";
    result.loops.push_back({f.name, f.loop != no_index, f.loop != no_index ? "" : why});
    const body_layout* const laid =
        root && f.loop != no_index ? layout_of_loop(*planned->plan, *root->body(), root->layout(), f.loop) : nullptr;
    result.loops.back().is_of_scalars = laid && !laid->scalars.empty();
  }
  return result;
}

FLOWGRAPH_INLINE error step_state::check_feeds(std::span<const any_tensor* const> feeds) const {
  for (std::size_t i = 0; i < feeds.size(); ++i)
    if (error why = check_feed(planned->feeds[i], *feeds[i])) return why;
  return {};
}

FLOWGRAPH_INLINE error step_state::run_queued(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched,
                                              const run_options* options) {
  if (error why = check_feeds(feeds)) return why;
  const run_options none;
  session->draw_ordinals(*planned->plan, runs->ordinals());
  runs->start(options ? *options : none, false);
  for (std::size_t i = 0; i < feeds.size(); ++i) runs->feed(i, *feeds[i]);
  error why = runs->drive();
  for (std::size_t i = 0; i < fetched.size() && !why; ++i) {
    auto t = runs->take(i);
    if (t) fetched[i] = *std::move(t);
    else why = t.error();
  }
  runs->end(!why);
  return why;
}

FLOWGRAPH_INLINE error step_state::run(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched,
                                       const run_options* options) {
  if (!options || !detail::shows_nodes(*options)) [[likely]]
    return run_now(feeds, fetched, options);
  const traced_run traced(*options);
  if (!planned->plan->has_groups) return run_now(feeds, fetched, &traced.options());
  if (error why = find_ungrouped(feeds)) return why;
  return ungrouped->run_now(feeds, fetched, &traced.options());
}

FLOWGRAPH_SELDOM error step_state::find_ungrouped(std::span<const any_tensor* const> feeds) {
  if (ungrouped) return {};
  auto found = session->plan_for({.feeds = planned->feeds,
                                  .fetches = planned->fetches,
                                  .targets = planned->targets,
                                  .devices = &session->devices,
                                  .shows_nodes = true});
  if (!found) return found.error();
  auto result = std::make_unique<step_state>(session, *found);
  sequence<shape> shapes;
  for (const any_tensor* t : feeds) shapes.push_back(t->shape());
  if (error why = check_feeds(feeds)) return why;
  if (error why = result->prepare(std::move(shapes))) return why;
  ungrouped = std::move(result);
  return {};
}

FLOWGRAPH_INLINE error step_state::run_now(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched,
                                           const run_options* options) {
  if (is_running.exchange(true)) [[unlikely]]
    return error(error_code::failed_precondition, "the step is running already: a step belongs to one thread at a time");
  struct running {
    std::atomic<bool>& is_running;
    ~running() { is_running.store(false, std::memory_order_release); }
  } const now{is_running};
  if (session->is_shut) [[unlikely]]
    if (error why = session->admit(options)) return why;
  if (runs) return run_queued(feeds, fetched, options);
  if (!schedules.empty() && schedules.front()->fits(feeds)) return schedules.front()->run(feeds, fetched, options);
  if (error why = check_feeds(feeds)) return why;
  const auto fits = [&](const std::unique_ptr<root_schedule>& s) { return s->fits(feeds); };
  auto known = std::find_if(schedules.begin(), schedules.end(), fits);
  if (known == schedules.end()) {
    sequence<shape> shapes;
    for (const any_tensor* t : feeds) shapes.push_back(t->shape());
    erase_if(schedules, [](const auto& s) { return s->is_outdated(); });
    auto result = arena_schedule::make(*session, *planned, std::move(shapes));
    if (!result) return result.error();
    while (!schedules.empty() && schedules.size() >= session->options.kept_layouts) schedules.pop_back();
    schedules.push_back(*std::move(result));
    known = schedules.end() - 1;
  }
  std::rotate(schedules.begin(), known, known + 1);
  return schedules.front()->run(feeds, fetched, options);
}

}  // namespace detail

FLOWGRAPH_INLINE any_step::any_step(owned<detail::step_state> state) noexcept : state_(std::move(state)) {}
FLOWGRAPH_INLINE any_step::any_step(any_step&&) noexcept = default;
FLOWGRAPH_INLINE any_step& any_step::operator=(any_step&&) noexcept = default;
FLOWGRAPH_INLINE any_step::~any_step() = default;
FLOWGRAPH_INLINE error any_step::run(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched,
                                     const run_options* options) {
  if (!state_) [[unlikely]]
    return detail::step_state::moved();
  return state_->run(feeds, fetched, options);
}
FLOWGRAPH_INLINE error any_step::check_and_run(std::span<const any_tensor> feeds, std::span<any_tensor> fetched,
                                               const run_options* options) {
  if (!state_) return detail::step_state::moved();
  const detail::planned& p = *state_->planned;
  if (feeds.size() != p.feeds.size() || fetched.size() != p.fetches.size())
    return detail::invalid_argument({"the step was prepared for ", p.feeds.size(), " feeds and ", p.fetches.size(),
                                     " fetches, found ", feeds.size(), " and ", fetched.size()});
  state_->given.clear();
  for (const any_tensor& t : feeds) state_->given.push_back(&t);
  state_->kept.resize(fetched.size());
  const error why = state_->run(state_->given, state_->kept, options);
  for (std::size_t i = 0; i < fetched.size(); ++i) {
    if (!why) fetched[i] = std::move(state_->kept[i]);
    state_->kept[i].reset();
  }
  return why;
}
FLOWGRAPH_INLINE result<void> any_step::try_run(std::span<const any_tensor> feeds, std::span<any_tensor> fetched) {
  return check_and_run(feeds, fetched, nullptr);
}
FLOWGRAPH_INLINE result<void> any_step::try_run(std::span<const any_tensor> feeds, std::span<any_tensor> fetched,
                                                const run_options& options) {
  return check_and_run(feeds, fetched, &options);
}
FLOWGRAPH_INLINE step_report any_step::plan() const { return state_ ? state_->report() : step_report(); }

}  // namespace flowgraph
