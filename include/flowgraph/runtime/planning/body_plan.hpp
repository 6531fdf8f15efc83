#pragma once
// The body of a loop with a schedule: the calls of its nodes in order, and how values are passed to the next iteration. Switches
// and the Merge at the head of a loop only rename values, so they share a slot with their input and have no call. For a prepared
// step, the root of a plan with branches or loops is treated in the same way, as a body that runs once.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/op/table.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline constexpr std::uint32_t no_index = 0xffffffffu;

// Restricts a step to one side of a decision in its iteration: to a condition inside the body.
struct guard {
  std::uint32_t decision;
  bool side;
  auto operator<=>(const guard&) const = default;
};
using guard_list = sequence<guard>;  // sorted; all must hold

// The source of a step's input: a slot of the loop, or a constant of the plan.
struct body_input {
  std::uint32_t place = 0;
  bool is_constant = false;
  bool dereference = false;
  bool is_last = false;  // no later step of the iteration reads the slot: its memory may be reused
};

struct body_step {
  enum class form : std::uint8_t { kernel, alias, read, bind, decide, select, loop };

  form kind = form::kernel;
  std::uint32_t record = 0;  // index in the plan; for a decision, its first Switch
  // The first slot that it fills; the number of the decision; for a loop, its index in body_plan::inner.
  std::uint32_t output = 0;
  sequence<body_input> inputs;
  guard_list guards;
  sequence<guard_list> sides;       // for a select: the condition of each input
  sequence<std::uint32_t> outputs;  // for a loop: the slot of each of its exits
};

struct body_plan {
  struct entered {
    std::uint32_t record, place;
    bool is_asked = false;  // the condition needs it: if it were dead, the whole loop would be
  };
  // A value that becomes the value of a loop variable in the next iteration.
  struct carry {
    std::uint32_t place;
    body_input from;
    std::uint32_t old_goes_to;  // the slot that receives the memory of the previous value, or no_index
  };
  struct left {
    std::uint32_t record;
    body_input from;
    guard_list guards = {};  // for a fetch: when it is live
  };

  std::uint32_t frame = 0;
  std::uint32_t record = 0;   // index in the plan: the loop as a whole, in its parent frame
  sequence<body_step> steps;  // steps of the condition, then steps of the body, then steps after the end of the loop
  std::size_t body_begins = 0, end_begins = 0;  // the beginnings of the second and the third part
  body_input condition;
  std::uint32_t asked_by = 0;  // a Switch on the condition
  std::uint32_t decisions = 0;
  sequence<entered> enters;  // for the root: the feeds
  sequence<carry> next;
  bool swaps = false;              // each value that is passed on may swap its slot with the previous value
  sequence<left> exits;            // for the root: the fetches that are not constants
  sequence<std::uint32_t> shared;  // slots that refer to memory of others, cleared after each iteration
  sequence<std::uint32_t> inner;   // inner loops, as indices in plan::loops
  bool is_heavy = false;           // true: a kernel is worth its own thread
};

}  // namespace flowgraph::detail
