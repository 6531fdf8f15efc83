#pragma once
// Memory in a straight line: who reads a value last, and which places trade their values when an iteration ends.

#include <flowgraph/core/type.hpp>
#include <flowgraph/runtime/straight_loop.hpp>

#include <algorithm>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

class loop_memory {
public:
  // `types`: of what each place holds, where it is known.
  loop_memory(straight_loop& line, std::vector<dtype> types) : line_(line), types_(std::move(types)) {}

  // `kept`: places whose memory nobody may take.
  void plan(std::vector<char> kept) {
    find_last_reads(std::move(kept));
    plan_hand_on();
  }

private:
  // From the last step back: whose memory may be taken.
  void find_last_reads(std::vector<char> kept) {
    std::erase_if(line_.next, [&](const straight_loop::handed& h) {  // the same value again
      const bool stays = !h.from.is_constant && h.from.place == h.place;
      if (stays) kept[h.place] = true;
      return stays;
    });
    auto read = [](std::vector<char>& later, loop_input& in) {
      if (in.is_constant) return;
      in.is_last = !in.dereference && !later[in.place];
      later[in.place] = true;
    };
    auto read_steps = [&](std::vector<char>& later, std::size_t first, std::size_t last) {
      for (std::size_t s = last; s-- > first;) {
        auto& inputs = line_.steps[s].inputs;
        for (std::size_t k = inputs.size(); k-- > 0;) read(later, inputs[k]);
      }
    };
    std::vector<char> at_end = kept, going_on = kept;
    for (std::size_t k = line_.exits.size(); k-- > 0;) read(at_end, line_.exits[k].from);
    read_steps(at_end, line_.leaving, line_.steps.size());
    for (std::size_t k = line_.next.size(); k-- > 0;) read(going_on, line_.next[k].from);
    read_steps(going_on, line_.body, line_.leaving);
    for (std::size_t p = 0; p < types_.size(); ++p) going_on[p] = going_on[p] || at_end[p];
    read_steps(going_on, 0, line_.body);
  }

  // A value that goes on leaves its place, which gets the memory of the value before: so the next iteration allocates nothing.
  void plan_hand_on() {
    auto is_variable = [&](std::uint32_t place) {
      return std::any_of(line_.next.begin(), line_.next.end(), [&](const straight_loop::handed& h) { return h.place == place; });
    };
    line_.swaps = true;
    std::vector<std::uint32_t> left;  // places whose value goes on, which no other value takes
    for (const straight_loop::handed& h : line_.next) {
      const bool leaves = h.from.is_last && !is_variable(h.from.place);
      line_.swaps = line_.swaps && leaves;
      if (leaves) left.push_back(h.from.place);
    }
    for (straight_loop::handed& h : line_.next) {
      const bool goes_on = std::any_of(line_.next.begin(), line_.next.end(), [&](const straight_loop::handed& other) {
        return other.from.is_last && !other.from.is_constant && other.from.place == h.place;
      });
      if (goes_on) continue;  // its old value has moved on itself
      const auto same_type =
          std::find_if(left.begin(), left.end(), [&](std::uint32_t p) { return types_[p] == types_[h.place]; });
      if (same_type == left.end()) continue;
      h.old_goes_to = *same_type;
      left.erase(same_type);
    }
  }

  straight_loop& line_;
  std::vector<dtype> types_;
};

}  // namespace detail

}
}  // namespace flowgraph
