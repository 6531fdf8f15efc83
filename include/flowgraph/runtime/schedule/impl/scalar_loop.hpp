#pragma once

#include <flowgraph/runtime/schedule/owned_schedule.hpp>

#include <atomic>
#include <cstring>
#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Returns the address of a value. A joined value has the address of its variable.
FLOWGRAPH_INLINE void* owned_schedule::scalar_at(const body_input& in) {
  std::uint32_t place = in.place;
  for (std::size_t k = 0; k < body_.next.size() && !in.is_constant; ++k)
    if (layout_->scalars.joined[k] && body_.next[k].from.place == place) place = body_.next[k].place;
  return in.is_constant ? value_of(in).tensor.data() : places_[place].tensor.data();
}

// Finds the addresses of all values. They can differ from run to run, because traced runs of the loop swap the memory of values.
FLOWGRAPH_INLINE void owned_schedule::bind_scalars() {
  for (std::size_t i = 0; i < scalars_.steps.size(); ++i) {
    scalar_step& s = scalars_.steps[i];
    if (s.compute == &only_by_kernel) continue;
    const body_step& step = body_.steps[i];
    for (std::size_t k = 0; k < step.inputs.size(); ++k) s.inputs[k] = scalar_at(step.inputs[k]);
    s.output = scalar_at({step.output, false, false, false});
  }
  scalars_.first_copies.clear();
  scalars_.last_copies.clear();
  for (std::size_t k = 0; k < body_.next.size(); ++k) {
    if (layout_->scalars.joined[k]) continue;
    any_tensor& variable = places_[body_.next[k].place].tensor;
    const void* from = scalar_at(body_.next[k].from);
    if (passing_of(k) == body_layout::passing::copy) {
      scalars_.first_copies.push_back({from, passing_.spares[k], variable.bytes()});
      from = passing_.spares[k];
    }
    scalars_.last_copies.push_back({from, variable.data(), variable.bytes()});
  }
}

// Calls the kernel of a step that has no function, or that must report an error.
FLOWGRAPH_NOT_INLINED bool owned_schedule::run_scalar_kernel(const scalar_step& s, std::uint64_t index) {
  calls_.at.index = index;
  for (std::size_t k = 0; k < body_.next.size() && s.compute != &only_by_kernel; ++k) {
    if (!layout_->scalars.joined[k]) continue;  // otherwise the kernel reads the new value elsewhere
    const any_tensor& written = places_[body_.next[k].place].tensor;
    std::memcpy(places_[body_.next[k].from.place].tensor.data(), written.data(), written.bytes());
  }
  schedule_entry& e = calls_.entries[static_cast<std::size_t>(&s - scalars_.steps.data())];
  e.run(e.op, e.call);
  return !calls_.failure || calls_.fail(*e.call.at, calls_.failure);
}

// Local variables contain all data that an iteration reads, because the compiler must assume that a function changes members.
FLOWGRAPH_INLINE bool owned_schedule::run_scalar_loop() {
  bind_scalars();
  const scalar_step* const ask = scalars_.steps.data();
  const scalar_step* const body = ask + body_.body_begins;
  const scalar_step* const end = ask + body_.end_begins;
  const std::span<const scalar_copy> first(scalars_.first_copies), last(scalars_.last_copies);
  const bool& goes_on = *places_[body_.condition.place].tensor.as<bool>().data();
  const std::atomic<bool>& stopping = *setting_.services->stopping;
  const bool is_watched = setting_.watched != nullptr;
  const auto run = [this](const scalar_step* s, const scalar_step* to, std::uint64_t index) {
    for (; s != to; ++s)
      if (!s->compute(s->inputs.data(), s->output)) [[unlikely]]
        if (!run_scalar_kernel(*s, index)) return false;
    return true;
  };
  for (std::uint64_t index = 0;; ++index) {
    if (is_watched || stopping.load(std::memory_order_relaxed)) [[unlikely]] {
      calls_.at.index = index;
      if (const error why = why_ended()) return calls_.fail(*record_of(body_.asked_by).site, why);
    }
    if (!run(ask, body, index)) return false;
    if (!goes_on) {
      calls_.at.index = index;
      return calls_.walk(body_.end_begins, steps_.size(), setting_.watched);
    }
    if (!run(body, end, index)) return false;
    for (const scalar_copy& c : first) c.run();
    for (const scalar_copy& c : last) c.run();
  }
}

}  // namespace flowgraph::detail
