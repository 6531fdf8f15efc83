#pragma once
// Values that wait at the task that has made them until the part that reads them asks, and questions that came before their values.

#include "bytes.hpp"

#include <flowgraph/distributed/transport.hpp>

#include <compare>
#include <limits>
#include <span>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace distributed {

// One value of a step: over which edge, in which iteration.
struct value_place {
  std::uint64_t step = 0;
  std::uint32_t edge = 0;
  std::uint64_t loop = 0, iteration = 0;
  auto operator<=>(const value_place&) const = default;

  static value_place of(const frame& value) { return {value.number, value.edge, value.loop, value.iteration}; }
};

// Frames of values that are none themselves. A dead one that has a text says that its value is kept where it was made; the edge of
// questions says that the text lists places, whose values are asked for.
constexpr std::uint32_t edge_of_questions = 0xffffffff;
inline bool is_announcement(const frame& f) { return f.is_dead && !f.body.empty(); }
frame announcement_of(const frame& value);
// All for one task, of one step.
frame questions_for(std::span<const value_place> places);
// Gives the places one by one.
class question_reader {
public:
  explicit question_reader(const frame& f);
  // False: the text makes no sense, and there are none.
  bool is_sound() const noexcept { return is_sound_; }
  bool next(value_place& at);

private:
  byte_reader from_;
  std::uint64_t step_;
  std::size_t left_;
  bool is_sound_;
};

// Guarded by its owner.
class kept_values {
public:
  struct wanted {
    std::uint32_t task = 0;  // who is to have it
    frame value;
  };

  // False: nobody has asked yet, and it is kept.
  bool is_asked_for(std::uint32_t task, frame& value);
  // True: it is there, and given to `found`. Else the question is noted, where the value may come yet.
  bool ask(const value_place& at, bool may_come, wanted& found);

  // All of these steps, both included; false: questions alone, as no more values come.
  void drop(std::uint64_t first, std::uint64_t last, bool values_too = true);
  bool has_any(std::uint64_t first, std::uint64_t last) const;
  // Calls `f` with the place of each value and question of the step.
  template <class F> void for_each(std::uint64_t step, F&& f) const {
    for (auto at = entries_.lower_bound(begin_of(step)); at != entries_.end() && at->first.step == step; ++at) f(at->first);
  }
  // The last step that has any, up to this one. Precondition: there is one.
  std::uint64_t last_of(std::uint64_t last) const;
  std::size_t size() const noexcept { return entries_.size(); }

private:
  struct entry {
    bool is_there = false;  // else it is asked for
    wanted made;
  };
  using entry_map = recycled_map<value_place, entry>;
  static value_place begin_of(std::uint64_t step) { return {step, 0, 0, 0}; }
  static value_place end_of(std::uint64_t step) {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    return {step, std::numeric_limits<std::uint32_t>::max(), most, most};
  }

  entry_map entries_;
};

}
}
}  // namespace flowgraph::distributed
