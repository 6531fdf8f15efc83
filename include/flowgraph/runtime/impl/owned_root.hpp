#pragma once

#include <flowgraph/runtime/impl/body_planner.hpp>
#include <flowgraph/runtime/owned_root.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE std::unique_ptr<root_schedule> owned_root::make(session_state& session, const planned& p, const char*& why) {
  body_plan body;
  why = p.plan->has_async ? "a kernel is asynchronous" : plan_root_body(*p.plan, session.services.pool, body);
  return why ? nullptr : std::unique_ptr<root_schedule>(new owned_root(session, p, std::move(body)));
}

FLOWGRAPH_INLINE owned_root::owned_root(session_state& session, const planned& p, body_plan body)
    : root_schedule(session, *p.plan), planned_(p), body_(std::move(body)), memory_(kept_memory::make(session.services.memory)),
      setting_{&plan_, &services_, nullptr, ordinals_.data()}, calls_(setting_, body_) {
  services_.memory = memory_;
  if (plan_.has_run_resources) services_.own_resources = &own_resources_.emplace(memory_, container::one_thread());
  devices_.renew();
  for (const body_plan::entered& e : body_.enters)
    feeds_.push_back(static_cast<std::size_t>(std::find(plan_.feeds.begin(), plan_.feeds.end(), e.record) - plan_.feeds.begin()));
  std::size_t exits = 0;
  for (const input_ref& f : plan_.fetches) exits_.push_back(f.is_constant ? no_index : exits++);
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
  note(feeds);
  for (std::size_t k = 0; k < feeds_.size(); ++k) calls_.entered(k).tensor = *feeds[feeds_[k]];
  return {};
}

// Moves the shapes of these feeds to the front of the list of recent shapes.
FLOWGRAPH_INLINE void owned_root::note(std::span<const any_tensor* const> feeds) {
  const auto is_of = [&](const layout& l) {
    for (std::size_t i = 0; i < feeds.size(); ++i)
      if (!(l.shapes[i] == feeds[i]->shape())) return false;
    return true;
  };
  if (layouts_.empty() || !is_of(layouts_.front())) [[unlikely]] {
    auto at = std::find_if(layouts_.begin(), layouts_.end(), is_of);
    if (at == layouts_.end()) {
      if (layouts_.size() < session_.options.kept_layouts || layouts_.empty()) layouts_.emplace_back();
      at = layouts_.end() - 1;
      at->runs = 0;
      at->shapes.clear();
      for (const any_tensor* t : feeds) at->shapes.push_back(t->shape());
    }
    std::rotate(layouts_.begin(), at, at + 1);
  }
  ++layouts_.front().runs;
}

FLOWGRAPH_INLINE error owned_root::walk(const run_options* watched) {
  setting_.watched = watched;
  return calls_.run_root() ? error() : calls_.take_failure();
}

FLOWGRAPH_INLINE error owned_root::fetch(std::size_t i, std::span<const any_tensor* const>, any_tensor& made) {
  if (plan_.fetches[i].is_constant) {
    made = plan_.constants[plan_.fetches[i].index].tensor;
    return {};
  }
  return calls_.fetch(exits_[i], made) ? error() : calls_.take_failure();
}

FLOWGRAPH_INLINE void owned_root::end(bool failed) {
  if (failed) calls_.reset();
  else calls_.end_run();
  pins_of_run_.release();  // after the run's references to tensors of versions, so that this thread frees no version
  if (own_resources_) own_resources_->end_run();
  const bool all_seen = std::all_of(layouts_.begin(), layouts_.end(), [](const layout& l) { return l.runs >= runs_until_warm; });
  if (memory_->end_round(all_seen))
    for (layout& l : layouts_) l.runs = 0;
}

FLOWGRAPH_INLINE void owned_root::describe(step_report& made) const {
  made.nodes = body_.steps.size();
  made.buffers = memory_->blocks();
  made.arena_bytes = memory_->bytes();
}

}  // namespace detail

}
}  // namespace flowgraph
