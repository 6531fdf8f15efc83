#pragma once
// The arena of a body: the positions of the values that its layout has placed there. Values that are not used at the same time share
// memory.

#include <flowgraph/runtime/schedule/body_layout.hpp>
#include <flowgraph/runtime/schedule/detail/arena_plan.hpp>
#include <flowgraph/runtime/planning/plan.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class body_arena {
public:
  body_arena(const plan& p, const body_plan& body, body_layout& result)
      : plan_(p), body_(body), result_(result), use_(result.places.size(), 0), storage_of_(result.places.size(), no_index),
        is_cell_(result.places.size(), false), scratch_(body.steps.size(), no_index), spares_(body.next.size(), no_index) {}

  // `scratch`: the bytes of scratch of each call in the arena.
  void place(const sequence<std::size_t>& scratch) {
    find_uses();
    place_variables();
    for (std::uint32_t s = 0; s < end(); ++s) place_step(s, scratch[s]);
    result_.bytes = place_storages(storages_, nullptr);
    for (std::uint32_t k = 0; k < storage_of_.size(); ++k)
      if (storage_of_[k] != no_index) result_.places[k].at = storages_[storage_of_[k]].offset;
    for (std::size_t s = 0; s < scratch_.size(); ++s) {
      if (scratch_[s] == no_index) continue;
      const std::size_t at = storages_[scratch_[s]].offset;
      if (body_.steps[s].kind == form::loop) result_.inner[body_.steps[s].output].at = at;
      else result_.calls[s].scratch = at;
    }
    for (std::size_t k = 0; k < spares_.size(); ++k)
      if (spares_[k] != no_index) result_.next[k].spare = storages_[spares_[k]].offset;
  }

private:
  using form = body_step::form;
  using place_kind = body_layout::place_kind;
  using call_kind = body_layout::call_kind;
  using passing = body_layout::passing;

  dtype type_of(std::uint32_t place) const { return result_.places[place].type; }
  std::size_t bytes_of(std::uint32_t place) const {
    return static_cast<std::size_t>(result_.places[place].shape.size()) * size_of(type_of(place));
  }
  std::uint32_t end() const { return static_cast<std::uint32_t>(body_.steps.size()); }

  // Finds the last step that reads the elements of each place, also through the places that show them.
  void find_uses() {
    const auto use = [&](const body_input& in, std::uint32_t at) {
      if (!in.is_constant) use_[in.place] = std::max(use_[in.place], at);
    };
    use(body_.condition, end());
    for (const body_plan::carry& h : body_.next) use(h.from, end());
    for (const body_plan::left& exit : body_.exits) use(exit.from, end());
    for (std::uint32_t s = end(); s-- > 0;) {
      for (const body_input& in : body_.steps[s].inputs)
        use(in, result_.calls[s].kind == call_kind::shown ? std::max(s, use_[body_.steps[s].output]) : s);
    }
  }
  std::uint32_t add(std::size_t bytes, std::uint32_t first, std::uint32_t last) {
    const std::uint32_t result = add_storage(storages_, bytes, first);
    storages_[result].last = last;
    return result;
  }
  void keep_throughout(std::uint32_t place) {
    storage_of_[place] = add(bytes_of(place), 0, end());
    is_cell_[place] = true;
  }
  void place_variables() {
    for (const body_plan::entered& e : body_.enters)
      if (result_.places[e.place].kind == place_kind::fixed) keep_throughout(e.place);
    for (std::size_t k = 0; k < body_.next.size(); ++k) {
      const body_plan::carry& h = body_.next[k];
      if (result_.is_own(h.place)) continue;
      const auto readers = std::count_if(body_.next.begin(), body_.next.end(), [&](const body_plan::carry& other) {
        return !other.from.is_constant && other.from.place == h.from.place;
      });
      const bool leaves = !h.from.is_constant && !h.from.dereference && readers == 1 && !is_cell_[h.from.place] &&
                          result_.places[h.from.place].kind == place_kind::fixed && type_of(h.from.place) == type_of(h.place);
      result_.next[k].kind = leaves ? passing::swap : passing::copy;
      if (leaves) keep_throughout(h.from.place);
      else spares_[k] = add(bytes_of(h.place), 0, end());
    }
  }
  void place_step(std::uint32_t s, std::size_t scratch) {
    const body_step& step = body_.steps[s];
    if (step.kind == form::loop) {  // its memory is in use until its results are
      std::uint32_t last = s;
      for (const std::uint32_t place : step.outputs) last = std::max(last, use_[place]);
      if (const std::size_t bytes = result_.inner[step.output].bytes) scratch_[s] = add(bytes, s, last);
    }
    if (result_.calls[s].kind != call_kind::direct) return;
    const plan_record& r = plan_.records[step.record];
    bool reused = false;
    for (std::uint32_t k = 0; k < r.output_count; ++k) {
      const std::uint32_t place = step.output + k;
      if (is_cell_[place]) continue;
      const std::uint32_t donor = r.entry->facts.in_place && !reused ? reusable(step, s, place) : no_index;
      reused = reused || donor != no_index;
      storage_of_[place] = donor != no_index ? donor : add(bytes_of(place), s, s);
      storage& at = storages_[storage_of_[place]];
      at.last = std::max(at.last, use_[place]);
    }
    if (scratch > 0) scratch_[s] = add(scratch, s, s);
  }
  std::uint32_t reusable(const body_step& step, std::uint32_t s, std::uint32_t place) const {
    return reused_storage(storages_, bytes_of(place), s, nullptr, step.inputs.size(), [&](std::size_t k) {
      const body_input& in = step.inputs[k];
      const bool fits = !in.is_constant && !is_cell_[in.place] && type_of(in.place) == type_of(place);
      return fits ? storage_of_[in.place] : no_index;
    });
  }

  const plan& plan_;
  const body_plan& body_;
  body_layout& result_;

  sequence<std::uint32_t> use_, storage_of_;  // by place
  sequence<char> is_cell_;                    // by place: its memory is in use in the whole iteration
  sequence<std::uint32_t> scratch_;           // by step: the storage of its scratch, or of the arena of its loop
  sequence<std::uint32_t> spares_;            // like body_plan::next
  sequence<storage> storages_;
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
