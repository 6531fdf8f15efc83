#pragma once
// Plans the memory of a body: the last reader of each value, and the places that exchange values when an iteration ends.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/core/type.hpp>
#include <flowgraph/runtime/planning/plan.hpp>

#include <algorithm>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

class body_memory {
public:
  // `types` contains the type of each place's values, if it is known.
  body_memory(const plan& p, body_plan& body, std::vector<dtype> types) : plan_(p), body_(body), types_(std::move(types)) {}

  // `kept` marks places whose memory must not be taken.
  void lay_out(sequence<char> kept) {
    find_last_reads(std::move(kept));
    if (!plan_.slot_memory.empty()) keep_apart();
    plan_carries();
  }

private:
  // Finds the last read of each value, from the last step back. Its memory may then be reused.
  void find_last_reads(sequence<char> kept) {
    erase_if(body_.next, [&](const body_plan::carry& h) {  // the variable keeps its value
      const bool stays = !h.from.is_constant && h.from.place == h.place;
      if (stays) kept[h.place] = true;
      return stays;
    });
    auto read = [](sequence<char>& later, body_input& in) {
      if (in.is_constant) return;
      in.is_last = !in.dereference && !later[in.place];
      later[in.place] = true;
    };
    auto read_steps = [&](sequence<char>& later, std::size_t first, std::size_t last) {
      for (std::size_t s = last; s-- > first;) {
        auto& inputs = body_.steps[s].inputs;
        for (std::size_t k = inputs.size(); k-- > 0;) read(later, inputs[k]);
      }
    };
    sequence<char> at_end = kept, going_on = kept;
    for (std::size_t k = body_.exits.size(); k-- > 0;) read(at_end, body_.exits[k].from);
    read_steps(at_end, body_.end_begins, body_.steps.size());
    for (std::size_t k = body_.next.size(); k-- > 0;) read(going_on, body_.next[k].from);
    read_steps(going_on, body_.body_begins, body_.end_begins);
    for (std::size_t p = 0; p < types_.size(); ++p) going_on[p] = going_on[p] || at_end[p];
    read_steps(going_on, 0, body_.body_begins);
  }

  // Values may exchange places only within one memory, which matters if devices have memory of their own.
  void keep_apart() {
    const auto& own = plan_.slot_memory[body_.frame];
    const auto separate = [&](body_input& in, std::uint32_t goes_to) {
      in.is_last = in.is_last && !in.is_constant && own[in.place] == goes_to;
    };
    for (body_step& s : body_.steps) {
      if (s.kind == body_step::form::select)
        for (body_input& in : s.inputs) separate(in, own[s.output]);
      if (s.kind != body_step::form::loop) continue;
      const body_plan& inner = plan_.loop(body_.inner[s.output]);
      for (std::size_t k = 0; k < s.inputs.size(); ++k)
        separate(s.inputs[k], plan_.slot_memory[inner.frame][inner.enters[k].place]);
    }
    if (plan_.frames[body_.frame].parent == no_index) return;
    for (body_plan::left& exit : body_.exits) {
      const plan_record& r = plan_.records[exit.record];
      separate(exit.from, plan_.slot_memory[r.output_frame][r.first_slot]);
    }
    for (body_plan::carry& h : body_.next) separate(h.from, own[h.place]);
  }

  // Returns whether a value of one place may use the memory of the other.
  bool are_alike(std::uint32_t a, std::uint32_t b) const {
    const bool same_memory = plan_.slot_memory.empty() || plan_.slot_memory[body_.frame][a] == plan_.slot_memory[body_.frame][b];
    return same_memory && types_[a] == types_[b];
  }

  // A value that moves to the next iteration leaves its place, and the place gets the memory of the old value. So the next
  // iteration allocates nothing.
  void plan_carries() {
    auto is_variable = [&](std::uint32_t place) {
      return std::any_of(body_.next.begin(), body_.next.end(), [&](const body_plan::carry& h) { return h.place == place; });
    };
    body_.swaps = true;
    sequence<std::uint32_t> left;  // places whose values have moved, and that have no new memory yet
    for (const body_plan::carry& h : body_.next) {
      const bool leaves = h.from.is_last && !is_variable(h.from.place);
      body_.swaps = body_.swaps && leaves;
      if (leaves) left.push_back(h.from.place);
    }
    for (body_plan::carry& h : body_.next) {
      const bool goes_on = std::any_of(body_.next.begin(), body_.next.end(), [&](const body_plan::carry& other) {
        return other.from.is_last && !other.from.is_constant && other.from.place == h.place;
      });
      if (goes_on) continue;  // its old value has moved, too
      const auto alike = std::find_if(left.begin(), left.end(), [&](std::uint32_t place) { return are_alike(place, h.place); });
      if (alike == left.end()) continue;
      h.old_goes_to = *alike;
      left.erase(alike);
    }
  }

  const plan& plan_;
  body_plan& body_;
  std::vector<dtype> types_;
};

}  // namespace flowgraph::detail
