#pragma once
// Values that wait at the task that computed them until the reading part requests them, and questions that arrived before their
// values.

#include "bytes.hpp"

#include <flowgraph/distributed/transport.hpp>

#include <compare>
#include <limits>
#include <span>

namespace flowgraph::inline FLOWGRAPH_ABI::distributed {

// Identifies a value of a step by its edge and its iteration.
struct value_place {
  std::uint64_t step = 0;
  std::uint32_t edge = 0;
  std::uint64_t loop = 0, iteration = 0;
  auto operator<=>(const value_place&) const = default;

  static value_place of(const frame& value) { return {value.number, value.edge, value.loop, value.iteration}; }
};

// Two control frames travel as frames of values. A dead frame with a body is an announcement: its value is kept at the task that
// computed it. A frame with the edge of questions has a list of places in its body, and requests their values.
constexpr std::uint32_t edge_of_questions = 0xffffffff;
inline bool is_announcement(const frame& f) { return f.is_dead && !f.body.empty(); }
frame announcement_of(const frame& value);
// Returns a frame that requests the values at `places`. All places must belong to one step, and their values must be at one task.
frame questions_for(std::span<const value_place> places);
// Returns the places of a question one after another.
class question_reader {
public:
  explicit question_reader(const frame& f);
  // Returns false if the body is invalid; then next() returns no place.
  bool is_sound() const noexcept { return is_sound_; }
  bool next(value_place& at);

private:
  byte_reader from_;
  std::uint64_t step_;
  std::size_t left_;
  bool is_sound_;
};

// Not thread-safe: its owner guards it with a mutex.
class kept_values {
public:
  struct wanted {
    std::uint32_t task = 0;  // the task that receives the value
    frame value;
  };

  // Returns true if the value has been requested, and removes the question. Otherwise keeps the value and returns false.
  bool is_asked_for(std::uint32_t task, frame& value);
  // If the value is kept, moves it to `found` and returns true. Otherwise returns false; if `may_come`, the question is kept until
  // the value exists.
  bool ask(const value_place& at, bool may_come, wanted& found);

  // Drops the values and questions of steps `first` to `last`, both included. If `values_too` is false, drops only questions: the
  // steps compute no more values.
  void drop(std::uint64_t first, std::uint64_t last, bool values_too = true);
  bool has_any(std::uint64_t first, std::uint64_t last) const;
  // Calls `f` with the place of each value and each question of the step.
  template <class F> void for_each(std::uint64_t step, F&& f) const {
    for (auto at = entries_.lower_bound(begin_of(step)); at != entries_.end() && at->first.step == step; ++at) f(at->first);
  }
  // Returns the last step, not after `last`, that has a value or a question. Precondition: there is one.
  std::uint64_t last_of(std::uint64_t last) const;
  std::size_t size() const noexcept { return entries_.size(); }

private:
  struct entry {
    bool is_there = false;  // false: the value has been requested
    wanted answer;
  };
  using entry_map = recycled_map<value_place, entry>;
  static value_place begin_of(std::uint64_t step) { return {step, 0, 0, 0}; }
  static value_place end_of(std::uint64_t step) {
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    return {step, std::numeric_limits<std::uint32_t>::max(), most, most};
  }

  entry_map entries_;
};

}  // namespace flowgraph::distributed
