#pragma once

#include <flowgraph/runtime/impl/line_builder.hpp>
#include <flowgraph/runtime/line.hpp>
#include <flowgraph/runtime/step.hpp>
#include <flowgraph/runtime/interruption_checks.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_INLINE result<std::unique_ptr<line>> line::make(session_state& session, const planned& p,
                                                          std::vector<shape> feed_shapes) {
  std::unique_ptr<line> made(new line(session, p));
  made->feed_shapes_ = std::move(feed_shapes);
  if (error why = line_builder(*made, session, p).build()) return why;
  return made;
}

FLOWGRAPH_INLINE void line::take_pin(const void* op, kernel_call& call) {
  const pin& p = *static_cast<const pin*>(op);
  p.cell->tensor = p.variable->read();
  if (!p.cell->tensor.has_value()) {
    cpu(call).fail(uninitialized(p.named));
  } else if (p.planned.is_known() && !(p.cell->tensor.shape() == p.planned)) {
    cpu(call).fail(error_code::failed_precondition, message{"a variable of shape ", p.planned, " has become ",
                                                            p.cell->tensor.shape(), " since the step was prepared"});
  } else if (p.reshaped) {
    p.cell->tensor = p.cell->tensor.reshaped(p.shown_as);
  }
  for (any_tensor* t : p.shown) t->point_to(p.cell->tensor.data());
}

FLOWGRAPH_INLINE void line::drop_pin(const void* op, kernel_call&) { static_cast<const pin*>(op)->cell->tensor.reset(); }

FLOWGRAPH_INLINE void line::show(const void* op, kernel_call&) {
  const shown& s = *static_cast<const shown*>(op);
  const bool is_sized = s.shape.is_known() && static_cast<std::size_t>(s.shape.size()) == s.from->size();
  s.to->share(*s.from, is_sized ? s.shape : s.from->shape());
}

FLOWGRAPH_INLINE step_report line::report() const {
  step_report made = report_;
  for (std::size_t i = 0; i < fetches_.size(); ++i)
    if (fetches_[i].copied > 0)
      made.copies.push_back({std::string(plan_.records[plan_.fetch_records[i]].origin->name), fetches_[i].copied});
  return made;
}

FLOWGRAPH_INLINE void line::run_dynamic(const void* op, kernel_call& call) {
  const dynamic_record& d = *static_cast<const dynamic_record*>(op);
  line& self = *d.owner;
  const plan_record& r = self.plan_.records[d.record];
  if (self.frame_.prepare(self.plan_, r, self.slots_.data(), self.slots_.data(), self.services_) && r.kernel) {
    self.frame_.call.ordinal = call.ordinal;
    self.frame_.call.drawn = call.drawn;
    self.frame_.invoke(r);
  }
  self.frame_.finish();
  if (self.frame_.failure) cpu(call).fail(self.frame_.take_failure());
}

// Makes sure that the caller does not hold the buffer that will be written.
FLOWGRAPH_INLINE error line::turn(handed_out& h) {
  if (h.current && h.current->is_unique()) return {};
  std::swap(h.current, h.spare);
  if (!h.current || !h.current->is_unique()) {
    auto made = buffer::allocate(dtype::uint8, h.bytes, session_.services.memory);
    if (!made) return made.error();
    h.current = buffer_ref(*made);
  }
  for (const std::uint32_t s : h.slots) slots_[s].value.tensor.point_to(h.current->data());
  return {};
}

FLOWGRAPH_INLINE error line::blame(const entry& e) {
  const error why = std::exchange(failure_, {});
  return why.at(e.call.at->name, e.call.at->op->name, e.call.at->where);
}

// Drops what a run counts, also after one that ended early.
FLOWGRAPH_INLINE void line::leave() {
  for (const std::uint32_t slot : released_) slots_[slot].value.tensor.reset();
  for (edge_value& cell : cells_) cell.tensor.reset();
  set_pins_.release();
}

FLOWGRAPH_INLINE error line::run(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched,
                                 const run_options* options) {
  for (std::size_t i = 0; i < feeds.size(); ++i)
    for (const std::uint32_t slot : fed_[i].slots) {
      any_tensor& t = slots_[slot].value.tensor;
      t.point_to(const_cast<void*>(feeds[i]->data()));
    }
  for (handed_out& h : handed_)
    if (error why = turn(h)) return why;
  for (const set_view& s : sets_) {
    const variable_set_state::version& taken = set_pins_.of(*s.set);
    for (const auto& [t, place] : s.shown) t->point_to(const_cast<void*>(taken.tensors[place].data()));
  }
  for (const auto& [at, counter] : random_) entries_[at].call.ordinal = counter->runs.fetch_add(1, std::memory_order_relaxed);

  error why;
  if (!options) {
    for (entry& e : entries_) {
      e.run(e.op, e.call);
      if (failure_) [[unlikely]] {
        why = blame(e);
        break;
      }
    }
  } else {
    stopping_.store(false, std::memory_order_relaxed);
    set_deadline(services_, *options);
    const stop_registration registration(*options, [this] { stopping_.store(true, std::memory_order_relaxed); });
    for (entry& e : entries_) {
      if ((why = check_stop(*options))) break;
      e.run(e.op, e.call);
      if (failure_) {
        why = blame(e);
        break;
      }
    }
    services_.is_late = nullptr;
  }
  for (std::size_t i = 0; i < fetches_.size() && !why; ++i) {
    fetch_place& f = fetches_[i];
    switch (f.from) {
      case fetch_source::handed_out: {
        const handed_out& h = handed_[f.index];
        fetched[i] = any_tensor::over(slots_[h.slots.front()].value.tensor.type(), f.shape, h.current, h.current->data());
        break;
      }
      case fetch_source::constant: fetched[i] = plan_.constants[f.index].tensor; break;
      case fetch_source::feed: fetched[i] = feeds[f.index]->reshaped(f.shape); break;
      case fetch_source::variable: {
        fetched[i] = read_variable(services_, *slots_[f.index].value.variable);
        if (!fetched[i].has_value()) {
          const node* n = plan_.records[plan_.fetch_records[i]].origin;
          why = uninitialized(n).at(n->name, n->op->name, n->where);
        }
        break;
      }
      case fetch_source::member: fetched[i] = read_variable(services_, *pins_[f.index].variable).reshaped(f.shape); break;
      case fetch_source::read: fetched[i] = slots_[f.index].value.tensor.reshaped(f.shape); break;
      case fetch_source::slot: {
        const any_tensor& t = slots_[f.index].value.tensor;
        if (t.owner() || t.size() == 0) {
          fetched[i] = t;
        } else if (auto copy = t.copy(session_.services.memory)) {
          fetched[i] = *std::move(copy);
          f.copied = t.bytes();
        } else {
          why = copy.error();
        }
        break;
      }
    }
  }
  leave();
  return why;
}

FLOWGRAPH_INLINE step_state::~step_state() {
  lines.clear();
  if (runs) session->give_back(*of, std::move(runs));
}

FLOWGRAPH_INLINE error step_state::prepare(std::vector<shape> shapes) {
  const plan& p = *of->of;
  if (session->options.dynamic) {
    queued = "the session is dynamic";
  } else if (p.flow) {
    flow = p.flow->prepare(*session, *of, queued);
    if (flow) return {};
  } else if (p.has_async) {
    queued = "a kernel is asynchronous";
  } else if (p.has_run_resources) {
    queued = "an op has a resource that lives as long as a run";
  }
  if (queued) {
    runs = session->take_executor(*of);
    return {};
  }
  if (!std::all_of(shapes.begin(), shapes.end(), [](const shape& s) { return s.is_known(); })) return {};
  auto made = line::make(*session, *of, std::move(shapes));
  if (!made) return made.error();
  lines.push_back(*std::move(made));
  return {};
}

FLOWGRAPH_INLINE step_report step_state::report() const {
  step_report made = lines.empty() ? step_report{} : lines.front()->report();
  if (lines.empty()) made.passes = of->of->passes;
  if (flow) (flow.get()->*of->of->flow->describe)(made);
  if (queued) made.queued = queued;
  for (const plan_frame& f : std::span(of->of->frames).subspan(1)) {
    const char* why = f.queued ? f.queued : "the session is dynamic";
    made.loops.push_back({f.name, f.line != no_index, f.line != no_index ? "" : why});
  }
  return made;
}

FLOWGRAPH_INLINE error step_state::run(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched,
                                       const run_options* options) {
  if (flow || runs)
    for (std::size_t i = 0; i < feeds.size(); ++i)
      if (error why = check_feed(of->feeds[i], *feeds[i])) return why;
  if (flow) return (flow.get()->*of->of->flow->run_line)(feeds, fetched, options);
  if (runs) {
    const run_options none;
    session->draw_ordinals(*of->of, runs->ordinals());
    runs->start(options ? *options : none);
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
  auto matches = [&](const std::unique_ptr<line>& l) {
    for (std::size_t i = 0; i < feeds.size(); ++i)
      if (feeds[i]->type() != of->feeds[i].type() || !(l->feed_shapes()[i] == feeds[i]->shape())) return false;
    return l->generation() == session->services.resources->generation();
  };
  if (!lines.empty() && matches(lines.front())) return lines.front()->run(feeds, fetched, options);
  auto known = std::find_if(lines.begin(), lines.end(), matches);
  if (known == lines.end()) {
    std::vector<shape> shapes;
    for (std::size_t i = 0; i < feeds.size(); ++i) {
      if (error why = check_feed(of->feeds[i], *feeds[i])) return why;
      shapes.push_back(feeds[i]->shape());
    }
    std::erase_if(lines, [&](const auto& l) { return l->generation() != session->services.resources->generation(); });
    auto made = line::make(*session, *of, std::move(shapes));
    if (!made) return made.error();
    constexpr std::size_t kept = 8;
    if (lines.size() == kept) lines.pop_back();
    lines.push_back(*std::move(made));
    known = lines.end() - 1;
  }
  std::rotate(lines.begin(), known, known + 1);
  return lines.front()->run(feeds, fetched, options);
}

}  // namespace detail

FLOWGRAPH_INLINE any_step::any_step(owned<detail::step_state> state) noexcept : state_(std::move(state)) {}
FLOWGRAPH_INLINE any_step::any_step(any_step&&) noexcept = default;
FLOWGRAPH_INLINE any_step& any_step::operator=(any_step&&) noexcept = default;
FLOWGRAPH_INLINE any_step::~any_step() = default;
FLOWGRAPH_INLINE error any_step::run(std::span<const any_tensor* const> feeds, std::span<any_tensor> fetched,
                                     const run_options* options) {
  return state_->run(feeds, fetched, options);
}
FLOWGRAPH_INLINE error any_step::check_and_run(std::span<const any_tensor> feeds, std::span<any_tensor> fetched,
                                               const run_options* options) {
  const detail::planned& p = *state_->of;
  if (feeds.size() != p.feeds.size() || fetched.size() != p.fetches.size())
    return error(error_code::invalid_argument,
                 message{"the step was prepared for ", p.feeds.size(), " feeds and ", p.fetches.size(), " fetches, found ",
                         feeds.size(), " and ", fetched.size()});
  state_->given.clear();
  for (const any_tensor& t : feeds) state_->given.push_back(&t);
  return state_->run(state_->given, fetched, options);
}
FLOWGRAPH_INLINE result<void> any_step::try_run(std::span<const any_tensor> feeds, std::span<any_tensor> fetched) {
  return check_and_run(feeds, fetched, nullptr);
}
FLOWGRAPH_INLINE result<void> any_step::try_run(std::span<const any_tensor> feeds, std::span<any_tensor> fetched,
                                                const run_options& options) {
  return check_and_run(feeds, fetched, &options);
}
FLOWGRAPH_INLINE step_report any_step::plan() const { return state_->report(); }

}
}  // namespace flowgraph
