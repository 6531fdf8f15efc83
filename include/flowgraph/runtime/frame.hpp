#pragma once
// The state of loops during a run: an instance of a frame holds iterations, an iteration what its body's records wait for.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/call.hpp>

#include <memory>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

struct frame_instance;

// What a record still waits for in one iteration.
struct progress {
  static constexpr std::uint32_t none = 0xffffffffu;
  static constexpr std::uint32_t all_dead = 0xfffffffeu;
  std::uint32_t left = 0;
  std::uint32_t dead = 0;       // inputs that arrived dead
  std::uint32_t chosen = none;  // of a Merge: the input that arrived first
};

struct iteration {
  frame_instance* frame = nullptr;  // null: the root
  std::uint64_t index = 0;
  std::uint64_t key = 0;          // tells iterations apart for random numbers; 0 is the root
  std::uint32_t outstanding = 0;  // records ready or running, and child frames alive
  sequence<progress> records;     // by plan_record::local
  sequence<slot> slots;
  sequence<frame_instance*> children;  // by plan_frame::position
};

// What a frame keeps for iterations to come: an output of a record, or the news that it is dead.
struct carried {
  std::uint32_t record;
  bool dead;
  edge_value value;
};
template <> inline constexpr bool moves_as_bytes<carried> = true;

struct frame_instance {
  std::uint32_t frame = 0;  // in plan::frames
  std::uint64_t key = 0;    // what its iterations' keys are made from
  iteration* parent = nullptr;
  std::uint64_t opened = 0;   // iterations made so far
  sequence<iteration*> live;  // oldest first: as many as may run in parallel
  std::uint32_t enters_left = 0;
  sequence<carried> invariants;  // of constant Enters
  sequence<carried> waiting;     // of NextIterations beyond parallel_iterations
  sequence<char> lived;          // by record local of the Exits
};

// Keys tell iterations apart for random numbers. They are made from the names of the frames, outer to inner, and the number of
// the iteration in each of them: equal whatever else a plan holds, and however the loop is run.
std::uint64_t key_of_frame(const plan_frame& f, const iteration& parent);
inline std::uint64_t key_of_iteration(std::uint64_t frame, std::uint64_t index) {
  const std::uint64_t mix = frame + index + 1;
  return mix ^ (mix >> 32);
}

// The error of a node, with the iteration that it failed in: "square, iteration 17 of while_1 in ...", at the user's line.
error name_failure(const plan& p, const error& why, const call_site& n, const iteration& at);

// Iterations and frames that ended, kept for the next: a loop allocates nothing once warm.
class frame_pool {
public:
  explicit frame_pool(const plan& p);

  iteration* open(std::uint32_t frame);
  void close(std::uint32_t frame, iteration* gone);
  frame_instance* open_frame(std::uint32_t frame, iteration* parent);
  void close_frame(frame_instance* gone);
  // After a run that ended early: everything back, tensors released.
  void reset();

private:
  void reset(std::uint32_t frame, iteration& i) const;

  const plan& plan_;
  sequence<sequence<progress>> initial_;  // per frame
  sequence<sequence<std::unique_ptr<iteration>>> all_;
  sequence<sequence<iteration*>> free_;
  sequence<std::unique_ptr<frame_instance>> all_frames_;
  sequence<frame_instance*> free_frames_;
};

}  // namespace detail

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/frame.hpp>
#endif
