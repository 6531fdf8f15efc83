#pragma once
// The body of a loop that has a schedule: what its nodes do, one after the other, and where values go from one iteration to the next.
// Switches and the Merge at the head of a loop only name values, so they are names of one place here and no steps. The root of a
// plan with branches or loops, for a prepared step, is laid out in the same way: as a body that runs once.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/table.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

inline constexpr std::uint32_t no_index = 0xffffffffu;

// A step runs on one side of a decision of its iteration: of a condition inside of the body.
struct guard {
  std::uint32_t decision;
  bool side;
  auto operator<=>(const guard&) const = default;
};
using guard_list = sequence<guard>;  // sorted; all must hold

// Where a step finds an input: a place of the loop, or a constant of the plan.
struct body_input {
  std::uint32_t place = 0;
  bool is_constant = false;
  bool dereference = false;
  bool is_last = false;  // nobody reads the place after this in the same iteration: its memory may be taken
};

struct body_step {
  enum class form : std::uint8_t { kernel, alias, read, bind, decide, select, loop };

  form is = form::kernel;
  std::uint32_t record = 0;  // of the plan; of a decision its first Switch
  std::uint32_t output = 0;  // the first place it fills; the decision; of a loop, its place in body_plan::inner
  sequence<body_input> inputs;
  guard_list guards;
  sequence<guard_list> sides;       // of a select: which input lives
  sequence<std::uint32_t> outputs;  // of a loop: the place for each of its exits
};

struct body_plan {
  struct entered {
    std::uint32_t record, place;
    bool is_asked = false;  // the condition needs it: were it dead, all of the loop would be
  };
  struct handed {
    std::uint32_t place;
    body_input from;
    std::uint32_t old_goes_to;  // the place that gets the memory of the value before, or no_index
  };
  struct left {
    std::uint32_t record;
    body_input from;
    guard_list guards = {};  // of a fetch: when it is alive
  };

  std::uint32_t frame = 0;
  std::uint32_t record = 0;   // of the plan: the loop as a whole, in the frame around it
  sequence<body_step> steps;  // those that ask whether to go on, those of the body, those that run once it has ended
  std::size_t body_begins = 0, end_begins = 0;  // the second and the third part
  body_input condition;
  std::uint32_t asked_by = 0;  // a Switch on the condition
  std::uint32_t decisions = 0;
  sequence<entered> enters;  // of the root: the feeds
  sequence<handed> next;
  bool swaps = false;              // every value that is handed on may trade places with the one before
  sequence<left> exits;            // of the root: the fetches that are no constants
  sequence<std::uint32_t> shared;  // places that show somebody else's memory, dropped after each iteration
  sequence<std::uint32_t> inner;   // loops inside, in plan::loops
  bool is_heavy = false;           // some kernel is worth a thread of its own
};

}  // namespace detail

}
}  // namespace flowgraph
