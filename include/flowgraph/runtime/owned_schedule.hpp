#pragma once
// A schedule whose values own their memory: the body of a loop, iteration after iteration in the same places, or the root of a plan
// with branches or loops, which runs once. Shapes may differ from run to run: calls check what they find.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/schedule.hpp>

#include <memory>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// What all such schedules of a run share.
struct schedule_setting {
  const flowgraph::detail::plan* plan = nullptr;
  const run_services* services = nullptr;
  const run_options* watched = nullptr;  // of the run; null when nothing can end it early
  const random_ordinal* ordinals = nullptr;
};

// Its memory is kept until reset(). Used by one thread at a time.
class owned_schedule {
public:
  owned_schedule(const schedule_setting& setting, const body_plan& body);

  // Where the value of an Enter, or a feed, goes: by its place in body_plan::enters.
  edge_value& entered(std::size_t k) { return places_[body_.enters[k].place]; }

  // A loop, to its end. False: take_failure() says why, and names node and iteration.
  bool run_loop(iteration& parent);
  // Then the value of an Exit, by its place in body_plan::exits. `old` gives its memory for it.
  void take(std::size_t exit, edge_value& old);
  // Drops what was entered, and what shows memory of others. The schedule's own stays for its next run.
  void drop_entered();

  // A root: once from the first entry to the last. False as above.
  bool run_root();
  // Then what is fetched, by its place in body_plan::exits.
  bool fetch(std::size_t exit, any_tensor& made);
  // Keeps memory alone, for the next run.
  void end_run();

  void reset();
  error take_failure() { return calls_.take_failure(); }

private:
  // A step of the body, laid out as an entry.
  struct checked_call {
    owned_schedule* owner = nullptr;
    const body_step* step = nullptr;
    const plan_record* record = nullptr;
    op_table::kernel_function kernel = nullptr;
    const void* attributes = nullptr;
    shape* shapes = nullptr;         // of inputs and outputs at the last call
    edge_value* read = nullptr;      // by input: values of variables, counted for the length of a call
    std::uint32_t entry = 0;         // its place in the schedule
    std::uint32_t donor = no_index;  // an input whose memory the first output may take
    bool is_sized = false;           // the shapes are those of the last call, for inputs of these shapes and `asked` values
    bool exchanges = false;          // the calls of these shapes write over their donor
    bool takes_memory = false;       // so does this one
    bool is_renewed = false;         // some output begins each call without memory of its own
    std::uint64_t asked = 0;         // a bit for each input whose value the shapes depend on
    sequence<std::byte> asked_values;
  };

  static constexpr std::size_t worth_moving = 4096;  // bytes from which memory is handed on within a run

  void lay(checked_call& made, const body_step& step, std::size_t first_input, std::size_t first_output);
  static op_table::kernel_function function_for(const checked_call& c, bool reads_variable);

  // Functions of entries; `op` is a checked_call.
  template <bool Renewed> static void run_kernel(const void* op, kernel_call& call);
  static void run_guarded(const void* op, kernel_call& call);
  static void decide(const void* op, kernel_call& call);
  static void select(const void* op, kernel_call& call);
  static void run_inner(const void* op, kernel_call& call);
  static void bind(const void* op, kernel_call& call);
  static void read(const void* op, kernel_call& call);
  static void drop_inputs(const void* op, kernel_call& call);

  static trace_kind kind_of(const schedule_entry& e);

  static bool same_shapes(const checked_call& c, const kernel_call& call);
  static bool same_asked(const checked_call& c, const kernel_call& call);
  static bool has_memory(const checked_call& c, const kernel_call& call);
  bool exchange(checked_call& c, kernel_call& call);
  bool prepare(checked_call& c, kernel_call& call, bool is_sized);
  bool infer(checked_call& c, kernel_call& call);
  static bool remember(checked_call& c, const kernel_call& call, std::uint64_t asked);
  bool allocate(checked_call& c, kernel_call& call);
  bool provide_scratch(checked_call& c, kernel_call& call);
  bool ask(const body_input& in, bool& answer);
  void hand_on();
  error why_ended() const;
  bool holds(const guard_list& guards) const {
    for (const guard& g : guards)
      if (decided_[g.decision] != static_cast<char>(g.side)) return false;
    return true;
  }
  const plan_record& record_of(std::uint32_t i) const { return setting_.plan->records[i]; }
  edge_value& value_of(const body_input& in) {
    return in.is_constant ? const_cast<edge_value&>(setting_.plan->constants[in.place]) : places_[in.place];
  }

  const schedule_setting& setting_;
  const body_plan& body_;
  schedule calls_;
  sequence<edge_value> places_;
  sequence<edge_value> read_;
  sequence<edge_value> moving_;
  sequence<const edge_value*> inputs_;
  sequence<edge_value*> outputs_;
  sequence<shape> shapes_;
  sequence<const shape*> asked_shapes_;
  sequence<const any_tensor*> asked_tensors_;
  sequence<char> decided_;
  sequence<checked_call> steps_;
  sequence<std::unique_ptr<owned_schedule>> inner_;
  edge_value spare_;
  scratch_memory scratch_;
  sequence<binding> bindings_;  // of a root
  resource bound_;
  frame_instance frame_;
};

}  // namespace detail

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/owned_schedule.hpp>
#endif
