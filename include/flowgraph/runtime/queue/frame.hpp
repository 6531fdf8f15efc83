#pragma once
// The state of loops during a run: an instance of a frame has iterations, and an iteration has the state of its body's records.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/queue/call.hpp>

#include <memory>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct frame_instance;

// The inputs that a record still waits for in one iteration.
struct progress {
  static constexpr std::uint32_t none = 0xffffffffu;
  static constexpr std::uint32_t all_dead = 0xfffffffeu;
  std::uint32_t left = 0;
  std::uint32_t dead = 0;       // number of inputs that arrived dead
  std::uint32_t chosen = none;  // the first input of a Merge that arrived
};

struct iteration {
  frame_instance* frame = nullptr;  // null: the root
  std::uint64_t index = 0;
  std::uint64_t key = 0;          // identifies the iteration for random numbers; 0 is the root
  std::uint32_t outstanding = 0;  // records that are ready or running, and child frames that are alive; of no meaning in the root
  sequence<progress> records;     // the records, by plan_record::local
  sequence<slot> slots;
  sequence<frame_instance*> children;  // the child frames, by plan_frame::position
};

// A value that a frame keeps for later iterations: an output of a record, or the fact that it is dead.
struct carried {
  std::uint32_t record;
  bool dead;
  edge_value value;
};
template <> inline constexpr bool moves_as_bytes<carried> = true;

struct frame_instance {
  std::uint32_t frame = 0;  // index in plan::frames
  std::uint64_t key = 0;    // basis of the keys of its iterations
  iteration* parent = nullptr;
  std::uint64_t opened = 0;   // number of iterations created so far
  sequence<iteration*> live;  // oldest first: at most as many as may run in parallel
  std::uint32_t enters_left = 0;
  sequence<carried> invariants;  // values of constant Enters
  sequence<carried> waiting;     // values of NextIterations beyond parallel_iterations
  sequence<char> lived;          // whether each Exit was live, by its `local`
};

// Keys identify iterations for random numbers. They depend on the names of the enclosing frames and on the number of the
// iteration in each of them, but not on the rest of the plan or the way in which the loop is run.
std::uint64_t key_of_frame(const plan_frame& f, const iteration& parent);
inline std::uint64_t key_of_iteration(std::uint64_t frame, std::uint64_t index) {
  const std::uint64_t mix = frame + index + 1;
  return mix ^ (mix >> 32);
}

// Returns the error of a node with its iteration: "square, iteration 17 of while_1 in ...", at the user's line.
error name_failure(const plan& p, const error& why, const call_site& n, const iteration& at);

// Finished iterations and frames, which are reused: a warm loop allocates nothing.
class frame_pool {
public:
  explicit frame_pool(const plan& p);

  iteration* open(std::uint32_t frame);
  void close(std::uint32_t frame, iteration* gone);
  frame_instance* open_frame(std::uint32_t frame, iteration* parent);
  void close_frame(frame_instance* gone);
  // Called after a run that ended early: recycles all frames and iterations and releases their tensors.
  void reset();

private:
  void reset(std::uint32_t frame, iteration& i) const;

  const plan& plan_;
  sequence<sequence<progress>> initial_;  // initial progress of the records of each frame
  sequence<sequence<std::unique_ptr<iteration>>> all_;
  sequence<sequence<iteration*>> free_;
  sequence<std::unique_ptr<frame_instance>> all_frames_;
  sequence<frame_instance*> free_frames_;
};

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/queue/impl/frame.hpp>
#endif
