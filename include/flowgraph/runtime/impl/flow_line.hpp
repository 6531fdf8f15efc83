#pragma once

#include <flowgraph/runtime/flow_line.hpp>
#include <flowgraph/runtime/impl/loop_lines.hpp>
#include <flowgraph/runtime/interruption_checks.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE std::shared_ptr<flow_line> flow_line::make(session_state& session, const planned& p, const char*& why) {
  straight_loop line;
  why = p.plan->has_async ? "a kernel is asynchronous" : make_root_line(*p.plan, session.services.pool, line);
  return why ? nullptr : std::shared_ptr<flow_line>(new flow_line(session, p, std::move(line)));
}

FLOWGRAPH_INLINE flow_line::flow_line(session_state& session, const planned& p, straight_loop line)
    : session_(session), plan_(*p.plan), line_(std::move(line)), memory_(kept_memory::make(session.services.memory)),
      services_(session.services), ordinals_(plan_.random_nodes.size()), setting_{&plan_, &services_, nullptr, ordinals_.data()},
      walk_(setting_, line_) {
  services_.memory = memory_;
  services_.stopping = &stopping_;
  services_.pins = &pins_;
  if (plan_.has_run_resources) services_.own_resources = &own_resources_.emplace(memory_);
  for (const straight_loop::entered& e : line_.enters)
    feeds_.push_back(static_cast<std::size_t>(std::find(plan_.feeds.begin(), plan_.feeds.end(), e.record) - plan_.feeds.begin()));
}

FLOWGRAPH_INLINE flow_line::~flow_line() {
  walk_.reset();
  own_resources_.reset();
  memory_->close();
}

FLOWGRAPH_INLINE error flow_line::run(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched,
                                      const run_options* options) {
  session_.draw_ordinals(plan_, ordinals_);
  for (std::size_t k = 0; k < feeds_.size(); ++k) walk_.entered(k).tensor = *feeds[feeds_[k]];
  stopping_.store(false, std::memory_order_relaxed);
  error why;
  if (options && is_watched(*options)) {
    setting_.options = options;
    set_deadline(services_, *options);
    const stop_registration registration(*options, [this] { stopping_.store(true, std::memory_order_relaxed); });
    why = walk(fetched);
    services_.is_late = nullptr;
    setting_.options = nullptr;
  } else {
    why = walk(fetched);
  }
  if (why) walk_.reset();
  else walk_.rest();
  pins_.release();  // after the last count of a version's tensor: so it is not this thread that frees one
  if (own_resources_) own_resources_->clear();
  memory_->end_round();
  return why;
}

FLOWGRAPH_INLINE error flow_line::walk(std::span<any_tensor> fetched) {
  const auto failure = [&] { return name_failure(plan_, walk_.take_failure(), walk_.failed_record(), walk_.failed_at()); };
  if (!walk_.run_root()) return failure();
  std::size_t exit = 0;
  for (std::size_t i = 0; i < fetched.size(); ++i) {
    if (plan_.fetches[i].is_constant) {
      fetched[i] = plan_.constants[plan_.fetches[i].index].tensor;
    } else if (auto value = walk_.fetch(exit++)) {
      fetched[i] = *std::move(value);
    } else {
      return failure();
    }
  }
  return {};
}

FLOWGRAPH_INLINE void flow_line::describe(step_report& made) const {
  made.nodes = line_.steps.size();
  made.buffers = memory_->blocks();
  made.arena_bytes = memory_->bytes();
}

}  // namespace detail

}
}  // namespace flowgraph
