#pragma once

#include <flowgraph/runtime/schedule/detail/body_layout_builder.hpp>
#include <flowgraph/runtime/planning/impl/plan_bodies.hpp>
#include <flowgraph/runtime/schedule/owned_root.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE std::unique_ptr<root_schedule> owned_root::make(session_state& session, const planned& p, const char*& why) {
  body_plan body;
  why = p.plan->has_async ? "a kernel is asynchronous" : plan_root_body(*p.plan, session.services.pool, body);
  return why ? nullptr : std::unique_ptr<root_schedule>(new owned_root(session, p, std::move(body)));
}

FLOWGRAPH_INLINE owned_root::owned_root(session_state& session, const planned& p, body_plan body)
    : root_schedule(session, *p.plan), planned_(p), body_(std::move(body)), memory_(kept_memory::make(session.services.memory)),
      setting_{&plan_, &services_, nullptr, ordinals_.data()}, layout_(lay_out()), calls_(setting_, body_, layout()) {
  services_.memory = memory_;
  if (plan_.has_run_resources) services_.own_resources = &own_resources_.emplace(memory_, container::one_thread());
  devices_.renew();
  for (const body_plan::entered& e : body_.enters)
    feeds_.push_back(static_cast<std::size_t>(std::find(plan_.feeds.begin(), plan_.feeds.end(), e.record) - plan_.feeds.begin()));
  std::size_t exits = 0;
  for (const input_ref& f : plan_.fetches) exits_.push_back(f.is_constant ? no_index : exits++);
}

// Returns the layout for the declared shapes of the feeds.
FLOWGRAPH_INLINE body_layout owned_root::lay_out() const {
  if (!layout()) return {};
  sequence<body_layout_builder::known_value> fed;
  for (const body_plan::entered& e : body_.enters) fed.push_back({.of = plan_.records[e.record].site->outputs[0].shape});
  return body_layout_builder(plan_, body_).make(fed, false);
}

FLOWGRAPH_INLINE error owned_root::provide_arena() {
  auto result = allocate_arena(layout_.bytes, session_.services.memory);
  if (!result)
    return body_.steps.empty() ? result.error() : failed_at(result.error(), *plan_.records[body_.steps.front().record].site);
  arena_ = *std::move(result);
  calls_.place_in(static_cast<std::byte*>(arena_.data()));
  return {};
}

FLOWGRAPH_INLINE owned_root::~owned_root() {
  calls_.reset();
  own_resources_.reset();
  memory_->close();
}

FLOWGRAPH_INLINE bool owned_root::fits(std::span<const any_tensor* const> feeds) const {
  for (std::size_t i = 0; i < feeds.size(); ++i)
    if (check_feed(planned_.feeds[i], *feeds[i])) return false;
  return true;
}

FLOWGRAPH_INLINE error owned_root::begin(std::span<const any_tensor* const> feeds) {
  memory_->begin_round();
  if (!arena_.has_value() && layout()) [[unlikely]]
    if (error why = provide_arena()) return why;
  note(feeds);
  for (std::size_t k = 0; k < feeds_.size(); ++k) calls_.entered(k).tensor = *feeds[feeds_[k]];
  return {};
}

// Moves the shapes of these feeds to the front of the list of recent shapes.
FLOWGRAPH_INLINE void owned_root::note(std::span<const any_tensor* const> feeds) {
  const auto is_of = [&](const known_feeds& l) {
    for (std::size_t i = 0; i < feeds.size(); ++i)
      if (!(l.shapes[i] == feeds[i]->shape())) return false;
    return true;
  };
  if (known_feeds_.empty() || !is_of(known_feeds_.front())) [[unlikely]] {
    auto at = std::find_if(known_feeds_.begin(), known_feeds_.end(), is_of);
    if (at == known_feeds_.end()) {
      if (known_feeds_.size() < session_.options.kept_layouts || known_feeds_.empty()) known_feeds_.emplace_back();
      at = known_feeds_.end() - 1;
      at->runs = 0;
      at->shapes.clear();
      for (const any_tensor* t : feeds) at->shapes.push_back(t->shape());
    }
    std::rotate(known_feeds_.begin(), at, at + 1);
  }
  ++known_feeds_.front().runs;
}

FLOWGRAPH_INLINE error owned_root::walk(const run_options* watched) {
  setting_.watched = watched;
  return calls_.run_root() ? error() : calls_.take_failure();
}

FLOWGRAPH_INLINE error owned_root::fetch(std::size_t i, std::span<const any_tensor* const>, any_tensor& value) {
  if (plan_.fetches[i].is_constant) {
    value = plan_.constants[plan_.fetches[i].index].tensor;
    return {};
  }
  return calls_.fetch(exits_[i], value) ? error() : calls_.take_failure();
}

FLOWGRAPH_INLINE void owned_root::end(bool failed) {
  if (failed) calls_.reset();
  else calls_.end_run();
  pins_of_run_.release();  // after the run's references to tensors of versions, so that this thread frees no version
  if (own_resources_) own_resources_->end_run();
  const bool all_seen =
      std::all_of(known_feeds_.begin(), known_feeds_.end(), [](const known_feeds& l) { return l.runs >= runs_until_warm; });
  if (memory_->end_round(all_seen))
    for (known_feeds& l : known_feeds_) l.runs = 0;
}

// Adds the steps of a body and of its loops: how many there are, and how many get their shapes only in the run.
inline void count_steps(const plan& p, const body_plan& body, const body_layout* layout, step_report& report) {
  using call_kind = body_layout::call_kind;
  report.nodes += body.steps.size();
  for (std::size_t s = 0; s < body.steps.size(); ++s) {
    const body_step& step = body.steps[s];
    const call_kind kind = layout ? layout->calls[s].kind : call_kind::checked;
    const bool is_node = step.kind == body_step::form::kernel || step.kind == body_step::form::alias;
    report.dynamic_nodes += is_node && kind != call_kind::direct && kind != call_kind::shown;
    if (step.kind == body_step::form::loop)
      count_steps(p, p.loop(body.inner[step.output]), layout ? &layout->inner[step.output] : nullptr, report);
  }
}

FLOWGRAPH_INLINE void owned_root::describe(step_report& report) const {
  report.nodes = report.dynamic_nodes = 0;
  count_steps(plan_, body_, layout(), report);
  report.buffers = memory_->blocks();
  report.arena_bytes = memory_->bytes() + layout_.bytes;
}

}  // namespace flowgraph::detail
