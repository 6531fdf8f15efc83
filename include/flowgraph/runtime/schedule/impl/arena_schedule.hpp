#pragma once

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/kernel_trace.hpp>
#include <flowgraph/runtime/schedule/arena_schedule.hpp>
#include <flowgraph/runtime/schedule/impl/arena_schedule_builder.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE result<std::unique_ptr<root_schedule>> arena_schedule::make(session_state& session, const planned& p,
                                                                             sequence<shape> feed_shapes) {
  std::unique_ptr<arena_schedule> result(new arena_schedule(session, p));
  result->feed_shapes_ = std::move(feed_shapes);
  if (error why = arena_schedule_builder(*result, session, p).build()) return why;
  for (returned_buffer& h : result->returned_)
    if (error why = result->provide_buffer(h)) return why;
  return std::unique_ptr<root_schedule>(std::move(result));
}

FLOWGRAPH_INLINE bool arena_schedule::is_outdated() const { return generation_ != session_.services.resources->generation(); }

FLOWGRAPH_INLINE bool arena_schedule::fits(std::span<const any_tensor* const> feeds) const {
  for (std::size_t i = 0; i < feeds.size(); ++i)
    if (feeds[i]->type() != planned_.feeds[i].type() || !(feed_shapes_[i] == feeds[i]->shape())) return false;
  return !is_outdated();
}

FLOWGRAPH_INLINE void arena_schedule::describe(step_report& report) const {
  report.nodes = account_.nodes;
  report.dynamic_nodes = account_.dynamic_nodes;
  report.buffers = account_.buffers;
  report.arena_bytes = account_.bytes;
  report.live_bytes = account_.live_bytes;
  // Nodes that were too large to fold: the schedule has examined the same nodes again, so its count replaces that of the plan.
  for (pass_report& p : report.passes)
    if (p.name == constant_folding::name) {
      p.changed += account_.folded;
      p.too_large = account_.too_large;
    }
  for (std::size_t i = 0; i < fetches_.size(); ++i)
    if (fetches_[i].copied > 0)
      report.copies.push_back({std::string(plan_.records[plan_.fetch_records[i]].site->name), fetches_[i].copied});
}

// ---- functions of entries

FLOWGRAPH_INLINE void arena_schedule::take_pin(const void* op, kernel_call& call) {
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

FLOWGRAPH_INLINE void arena_schedule::drop_pin(const void* op, kernel_call&) {
  static_cast<const pin*>(op)->cell->tensor.reset();
}

FLOWGRAPH_INLINE void arena_schedule::show(const void* op, kernel_call&) {
  const shown& s = *static_cast<const shown*>(op);
  const bool is_sized = s.shape.is_known() && static_cast<std::size_t>(s.shape.size()) == s.from->size();
  s.to->share(*s.from, is_sized ? s.shape : s.from->shape());
}

FLOWGRAPH_INLINE void arena_schedule::run_unsized(const void* op, kernel_call& call) {
  const unsized_call& u = *static_cast<const unsized_call*>(op);
  call_kernel(u.record->kernel, u.record->attributes, call);
  if (!*call.failure) check_made(*u.record, call, u.promised.empty() ? nullptr : u.promised.data());
}

FLOWGRAPH_INLINE void arena_schedule::run_dynamic(const void* op, kernel_call& call) {
  const dynamic_record& d = *static_cast<const dynamic_record*>(op);
  arena_schedule& self = *d.owner;
  const plan_record& r = self.plan_.records[d.record];
  if (self.frame_.prepare(self.plan_, r, self.slots_.data(), self.slots_.data(), self.services_) && r.kernel) {
    number_random(self.frame_.call, {call.ordinal, call.drawn}, call.iteration);
    self.frame_.invoke(r);
  }
  self.frame_.finish();
  if (self.frame_.failure) cpu(call).fail(self.frame_.take_failure());
}

// ---- a run

// Makes sure that the buffer for the next values is not held by the caller any more.
FLOWGRAPH_INLINE error arena_schedule::provide_buffer(returned_buffer& h) {
  if (h.current && h.current->is_unique()) return {};
  std::swap(h.current, h.spare);
  if (!h.current || !h.current->is_unique()) {
    auto result = buffer::allocate(dtype::uint8, h.bytes, h.memory);
    if (!result) return no_memory(h.bytes, "memory for a result", h.memory);
    h.current = buffer_ref(*result);
  }
  for (const std::uint32_t s : h.slots) slots_[s].value.tensor.point_to(h.current->data());
  return {};
}

FLOWGRAPH_INLINE error arena_schedule::begin(std::span<const any_tensor* const> feeds) {
  for (std::size_t i = 0; i < feeds.size(); ++i)
    for (const std::uint32_t slot : fed_[i]) slots_[slot].value.tensor.point_to(const_cast<void*>(feeds[i]->data()));
  for (returned_buffer& h : returned_)
    if (error why = provide_buffer(h)) return why;
  for (const set_view& s : variables_.sets) {
    const variable_set_state::version& taken = pins_of_run_.of(*s.set);
    for (const auto& [t, place] : s.shown) t->point_to(const_cast<void*>(taken.tensors[place].data()));
  }
  return {};
}

FLOWGRAPH_INLINE error arena_schedule::walk(const run_options* watched) {
  calls_.number(ordinals_.data());
  std::size_t at = 0;
  if (!watched) {
    const scalar_step* s = scalar_steps_.data();
    for (const scalar_range& r : scalar_ranges_) {
      if (!calls_.walk(at, r.first, nullptr)) return calls_.take_failure();
      for (at = r.first; at < r.last; ++at, ++s) s->compute(s->inputs.data(), s->output);
    }
  }
  return calls_.walk(at, calls_.entries.size(), watched) ? error() : calls_.take_failure();
}

FLOWGRAPH_INLINE error arena_schedule::fetch(std::size_t i, std::span<const any_tensor* const> feeds, any_tensor& result) {
  fetch_place& f = fetches_[i];
  switch (f.from) {
    case fetch_source::returned_buffer: {
      const returned_buffer& h = returned_[f.index];
      result = any_tensor::over(slots_[h.slots.front()].value.tensor.type(), f.shape, h.current, h.current->data());
      break;
    }
    case fetch_source::constant: result = plan_.constants[f.index].tensor; break;
    case fetch_source::feed: result = feeds[f.index]->reshaped(f.shape); break;
    case fetch_source::variable: {
      const call_site& maker = *plan_.records[plan_.fetch_records[i]].site;
      error why;
      if (!fetch_value(slots_[f.index].value, true, maker, services_, result, why)) return failed_at(why, maker);
      break;
    }
    case fetch_source::member: result = read_variable(services_, *variables_.pins[f.index].variable).reshaped(f.shape); break;
    case fetch_source::read: {
      result = slots_[f.index].value.tensor.reshaped(f.shape);
      if (error why; !bring_to_host(result, services_, why)) return why;
      break;
    }
    case fetch_source::slot: {
      const any_tensor& t = slots_[f.index].value.tensor;
      if (t.owner() || t.size() == 0) {
        result = t;
        break;
      }
      const std::int64_t since = services_.trace ? services_.trace->now() : 0;
      auto copy = t.copy(session_.services.memory);
      if (!copy) return copy.error();
      result = *std::move(copy);
      f.copied = t.bytes();
      if (services_.trace) services_.trace->copied(*plan_.records[plan_.fetch_records[i]].site, f.copied, since);
      break;
    }
  }
  return {};
}

// Releases references that a run holds, even if the run ended early. If a variable has another shape than the schedule was made
// for, the next run makes a new schedule.
FLOWGRAPH_INLINE void arena_schedule::end(bool failed) {
  if (failed) [[unlikely]]
    for (const pin& p : variables_.pins)
      if (p.planned.is_known() && arena_variables::has_changed_shape(*p.variable)) generation_ = never_valid;
  for (const std::uint32_t slot : released_) slots_[slot].value.tensor.reset();
  for (edge_value& cell : variables_.cells) cell.tensor.reset();
  pins_of_run_.release();
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
