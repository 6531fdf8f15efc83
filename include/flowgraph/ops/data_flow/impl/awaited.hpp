#pragma once

#include <flowgraph/graph/node.hpp>
#include <flowgraph/op/kernel_trace.hpp>
#include <flowgraph/ops/data_flow/detail/awaited.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_COLD FLOWGRAPH_INLINE error awaited::cancelled(const wish& w) const {
  return error(error_code::cancelled, message{w.doing, " was cancelled: ", called()});
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE error awaited::unavailable(const wish& w) const {
  return error(error_code::unavailable, message{w.doing, " would wait, which the run may not: ", called()});
}

FLOWGRAPH_INLINE void awaited::submit(const std::shared_ptr<wish>& w) {
  w->answer.waits(w->line == side::giving);
  w->answer.on_cancel([w, held = resource(this)] { static_cast<awaited*>(held.base)->cancel(w); });
  settled_wishes settled;
  {
    const threading::lock_guard lock(mutex_);
    if (w->now == wish::phase::settled) {  // cancelled before the request
      w->why = cancelled(*w);
      settled.push_back(w);
    } else if (!w->context.may_wait() && would_stop_halfway(*w)) {
      w->now = wish::phase::settled;
      w->why = unavailable(*w);
      settled.push_back(w);
    } else {
      w->now = wish::phase::waiting;
      line_of(w->line).waiting.push_back(w);
      advance_all(settled);
      if (dropped_) end_all_waiting(settled);
      else if (w->now == wish::phase::waiting && !w->context.may_wait()) leave_line(w, unavailable(*w), settled);
      if (const auto* trace = w->context.call().run->trace; trace && w->now == wish::phase::waiting) w->since = trace->now();
    }
  }
  answer(std::move(settled));
}

FLOWGRAPH_INLINE void awaited::grant(const std::shared_ptr<wish>& w) {
  w->now = wish::phase::settled;
  answer({w});
}

FLOWGRAPH_INLINE void awaited::cancel(const std::shared_ptr<wish>& w) {
  settled_wishes settled;
  {
    const threading::lock_guard lock(mutex_);
    if (w->now == wish::phase::settled) return;
    const bool waits = w->now == wish::phase::waiting;
    w->now = wish::phase::settled;
    if (!waits) return;  // `submit` has not run yet, and will find this
    leave_line(w, cancelled(*w), settled);
  }
  answer(std::move(settled));
}

// Ends a waiting wish. Wishes behind it may then be served.
FLOWGRAPH_INLINE void awaited::leave_line(const std::shared_ptr<wish>& w, error why, settled_wishes& settled) {
  auto& waiting = line_of(w->line).waiting;
  waiting.erase(std::find(waiting.begin(), waiting.end(), w));
  w->now = wish::phase::settled;
  w->why = std::move(why);
  give_back(*w);
  settled.push_back(w);
  advance_all(settled);
}

FLOWGRAPH_INLINE void awaited::dropped() {
  settled_wishes settled;
  {
    const threading::lock_guard lock(mutex_);
    dropped_ = true;
    end_all_waiting(settled);
  }
  answer(std::move(settled));
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE void awaited::end_all_waiting(settled_wishes& settled) {
  const std::string because = message{"the container of the ", noun_, " was cleared"};
  for (const side s : {side::giving, side::taking}) end_waiting(s, because.c_str(), settled);
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE void awaited::end_waiting(side s, const char* because, settled_wishes& settled) {
  for (const auto& w : line_of(s).waiting) {
    w->now = wish::phase::settled;
    w->why = cancelled(*w);
    if (because) w->why = std::move(w->why).because(error(error_code::cancelled, because));
    give_back(*w);
    settled.push_back(w);
  }
  line_of(s).waiting.clear();
}

FLOWGRAPH_SELDOM void awaited::wait_in_front(side s, std::vector<std::shared_ptr<wish>> restored) {
  auto& waiting = line_of(s).waiting;
  std::erase_if(waiting, [](const auto& w) { return w->is_restored; });
  for (const auto& w : restored) {
    w->is_restored = true;
    w->now = wish::phase::waiting;
  }
  waiting.insert(waiting.begin(), restored.begin(), restored.end());
}

FLOWGRAPH_INLINE void awaited::advance_all(settled_wishes& settled) {
  for (bool moved = true; moved;) {
    moved = advance_line(line_of(side::giving), settled);
    moved = advance_line(line_of(side::taking), settled) || moved;
  }
}

FLOWGRAPH_INLINE bool awaited::advance_line(line& l, settled_wishes& settled) {
  bool moved = false;
  for (std::size_t at = 0; at < l.waiting.size();) {
    const progress result = advance(*l.waiting[at]);
    moved = moved || result != progress::none;
    if (result == progress::complete) {
      l.waiting[at]->now = wish::phase::settled;
      settled.push_back(std::move(l.waiting[at]));
      l.waiting.erase(l.waiting.begin() + static_cast<std::ptrdiff_t>(at));
    } else if (l.kept == order::strict) {
      break;
    } else {
      ++at;
    }
  }
  return moved;
}

// Elements that cannot be delivered are given back, and other wishes may then get them.
FLOWGRAPH_INLINE void awaited::answer(settled_wishes settled) {
  for (std::size_t i = 0; i < settled.size(); ++i) {
    const std::shared_ptr<wish> w = std::move(settled[i]);
    if (!w->why && (w->why = deliver(*w))) {
      const threading::lock_guard lock(mutex_);
      give_back(*w);
      advance_all(settled);
    }
    w->release();
    if (w->since) w->context.call().run->trace->waited(w->context.call(), kind_in_words_, name_, w->since);
    w->answer(std::move(w->why));
  }
}

// ---- names

FLOWGRAPH_INLINE std::string name_of_awaited(cpu ctx, const std::string& shared_name) {
  return shared_name.empty() ? std::string(ctx.at()->name) : shared_name;
}

FLOWGRAPH_INLINE resource reference_by_words(cpu ctx, const std::string& section, const std::string& shared_name) {
  auto handle = any_tensor::allocate(dtype::string, {2}, ctx.memory());
  if (!handle) {
    ctx.fail(handle.error());
    return {};
  }
  const view<std::string> text = handle->as_writable<std::string>();
  text[0] = section;
  text[1] = name_of_awaited(ctx, shared_name);
  const resource object(new variable_state(dtype::string, {2}, ctx.memory()));
  object.as<variable_state>()->value() = *std::move(handle);
  return object;
}

FLOWGRAPH_INLINE resource named_awaited(cpu ctx, const void* kind, std::string_view noun) {
  const edge_value& given = *ctx.call().inputs[0];
  const any_tensor handle = given.variable ? given.variable->read() : given.tensor;
  resource found;
  if (handle.type() == dtype::string && handle.size() == 2) {
    const view<const std::string> name = handle.as<std::string>();
    found = ctx.resources().find(name[0], name[1]);
  } else if (handle.type() == dtype::resource && handle.size() == 1) {
    found = handle.as<resource>().scalar();
  }
  if (found.base && found.base->kind() == kind) return found;
  ctx.fail(message{"input 0 is not the handle of ", noun});
  return {};
}

FLOWGRAPH_INLINE void hand_out(cpu ctx, const resource& object, const unsized<resource>& handle) {
  if (ctx.failed()) return;
  const view<resource> y = handle.resize(flowgraph::shape{});
  if (!ctx.failed()) y.scalar() = object;
}
FLOWGRAPH_INLINE void hand_out(cpu ctx, const std::string& section, const std::string& shared_name,
                               const reference_out<std::string>& handle) {
  if (ctx.failed()) return;
  const resource object = reference_by_words(ctx, section, shared_name);
  if (!ctx.failed()) handle.set(object.as<variable_state>());
}

}  // namespace flowgraph::detail
