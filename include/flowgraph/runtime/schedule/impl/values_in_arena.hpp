#pragma once
// The values of a schedule in an arena: their places, and how they enter a loop, pass from iteration to iteration and leave.

#include <flowgraph/runtime/schedule/owned_schedule.hpp>

#include <algorithm>
#include <cstring>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_INLINE void owned_schedule::place_in(std::byte* arena) {
  using place_kind = body_layout::place_kind;
  arena_ = arena;
  for (std::size_t k = 0; k < places_.size(); ++k)
    if (const body_layout::place& p = layout_->places[k]; p.kind != place_kind::own)
      places_[k].tensor = any_tensor::over(p.type, p.shape, {}, p.kind == place_kind::fixed ? arena + p.at : nullptr);
  for (const checked_call& c : steps_)
    if (const std::size_t at = layout_->calls[static_cast<std::size_t>(&c - steps_.data())].scratch; at != body_layout::nowhere)
      calls_.entries[c.entry].call.scratch = arena + at;
  passing_.spares.resize(body_.next.size());
  for (std::size_t k = 0; k < body_.next.size(); ++k) {
    const body_layout::carry& h = layout_->next[k];
    passing_.is_mixed =
        passing_.is_mixed || h.kind == body_layout::passing::copy || (h.kind == body_layout::passing::swap && !body_.swaps);
    passing_.spares[k] = h.spare == body_layout::nowhere ? nullptr : arena + h.spare;
  }
  for (std::size_t k = 0; k < inner_.size(); ++k) inner_[k]->place_in(arena + layout_->inner[k].at);
  scalars_.steps.clear();
  for (const scalar_function f : layout_->scalars.functions) scalars_.steps.push_back({f ? f : &only_by_kernel, {}, nullptr});
}

// ---- functions of entries

FLOWGRAPH_INLINE void owned_schedule::run_direct(const void* op, kernel_call& call) {
  const checked_call& c = *static_cast<const checked_call*>(op);
  if (c.owner->holds(c.step->guards)) c.kernel(c.attributes, call);
}

FLOWGRAPH_INLINE void owned_schedule::show(const void* op, kernel_call&) {
  const checked_call& c = *static_cast<const checked_call*>(op);
  owned_schedule& self = *c.owner;
  if (!self.holds(c.step->guards)) return;
  std::size_t live = 0;
  if (c.step->kind == body_step::form::select)
    while (!self.holds(c.step->sides[live])) ++live;
  self.places_[c.step->output].tensor.point_to(self.value_of(c.step->inputs[live]).tensor.data());
}

FLOWGRAPH_INLINE void owned_schedule::run_expected(const void* op, kernel_call& call) {
  const checked_call& c = *static_cast<const checked_call*>(op);
  owned_schedule& self = *c.owner;
  if (!self.holds(c.step->guards)) return;
  c.run(op, call);
  const std::uint32_t outputs = c.step->kind == body_step::form::read ? 1 : call.output_count;
  for (std::uint32_t k = c.step->output; k < c.step->output + outputs && !*call.failure; ++k)
    if (const flowgraph::shape& s = self.layout_->places[k].shape; s.is_known())
      has_shape(self.places_[k].tensor, s, *call.failure);
}

FLOWGRAPH_INLINE bool owned_schedule::has_shape(const any_tensor& t, const flowgraph::shape& wanted, error& failure) {
  if (t.shape() == wanted) [[likely]]
    return true;
  failure = error(error_code::failed_precondition,
                  message{"the step was prepared for a value of shape ", wanted, " here, found ", t.shape()});
  return false;
}

// ---- values that enter and leave a loop

// Copies to the memory of a place that owns it.
FLOWGRAPH_INLINE bool owned_schedule::copy_into(any_tensor& own, const any_tensor& from, const run_services& run,
                                                error& failure) {
  const bool has_room = own.type() == from.type() && own.size() == from.size() && own.is_unique();
  if (has_room) own = own.reshaped(from.shape());
  else if (!own.emplace(from.type(), from.shape(), run.memory)) {
    failure = error(error_code::resource_exhausted, message{"no memory for a value of ", from.bytes(), " bytes"});
    return false;
  }
  if (from.bytes() > 0) std::memcpy(own.data(), from.data(), from.bytes());
  return true;
}

// Takes input k of the loop that this schedule runs, from the schedule around it.
FLOWGRAPH_INLINE bool owned_schedule::enter(std::size_t k, const checked_call& loop, const run_services& run, error& failure) {
  owned_schedule& around = *loop.owner;
  const body_input& in = loop.step->inputs[k];
  const body_plan::entered& e = body_.enters[k];
  const flowgraph::shape to = layout_ ? layout_->places[e.place].shape : flowgraph::shape::unknown();
  edge_value& entered = places_[e.place];
  edge_value& from = around.value_of(in);
  if (in.dereference) {
    any_tensor read;
    if (!read_input(record_of(e.record), 0, *from.variable, run, read, failure)) return false;
    if (to.is_known() && !has_shape(read, to, failure)) return false;
    if (is_own(e.place)) entered.tensor = std::move(read);
    else if (read.bytes() > 0) std::memcpy(entered.tensor.data(), read.data(), read.bytes());
  } else if (!is_own(e.place)) {
    if (!has_shape(from.tensor, to, failure)) return false;
    if (from.tensor.bytes() > 0) std::memcpy(entered.tensor.data(), from.tensor.data(), from.tensor.bytes());
  } else if (!around.is_own(in)) {
    if (!record_of(e.record).is_constant_enter) return copy_into(entered.tensor, from.tensor, run, failure);
    entered = from;
  } else if (in.is_last) {
    std::swap(entered, from);
  } else {
    entered = from;
  }
  return true;
}

// Passes a result in the arena to the schedule around the loop. `shows`: the result's place there refers to the elements.
FLOWGRAPH_INLINE bool owned_schedule::leave(std::size_t exit, any_tensor& old, bool shows, const run_services& run,
                                            error& failure) {
  any_tensor& from = places_[body_.exits[exit].from.place].tensor;
  if (!shows) return copy_into(old, from, run, failure);
  old.point_to(from.data());
  return true;
}

// Passes values to the next iteration, each in its own way. All copies are made before the first variable changes.
FLOWGRAPH_INLINE void owned_schedule::pass_on() {
  using passing = body_layout::passing;
  for (std::size_t k = 0; k < body_.next.size(); ++k) {
    const body_input& from = body_.next[k].from;
    const passing kind = passing_of(k);
    if (kind == passing::copy) {
      const any_tensor& value = value_of(from).tensor;
      if (value.bytes() > 0) std::memcpy(passing_.spares[k], value.data(), value.bytes());
    } else if (kind == passing::own && from.is_last) {
      passing_.moving[k] = std::move(places_[from.place]);
    } else if (kind == passing::own) {
      passing_.moving[k] = value_of(from);
    }
  }
  for (std::size_t k = 0; k < body_.next.size(); ++k) {
    const body_plan::carry& h = body_.next[k];
    edge_value& variable = places_[h.place];
    switch (passing_of(k)) {
      case passing::swap: std::swap(variable, places_[h.from.place]); break;
      case passing::copy: {
        auto* const before = static_cast<std::byte*>(variable.tensor.data());
        variable.tensor.point_to(std::exchange(passing_.spares[k], before));
        break;
      }
      case passing::own:
        std::swap(variable, passing_.moving[k]);
        if (h.old_goes_to != no_index && is_own(h.old_goes_to)) places_[h.old_goes_to] = std::move(passing_.moving[k]);
        else passing_.moving[k] = {};
    }
  }
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
