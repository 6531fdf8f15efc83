#pragma once
// The schedule of the body of a loop, which reuses the same slots in each iteration, or of the root of a plan with branches or loops,
// which runs once. Values own their memory, shapes may differ from run to run, and calls check them; except those values and calls
// that a layout has placed in an arena.

#include <flowgraph/core/sequence.hpp>
#include <flowgraph/runtime/schedule/body_layout.hpp>
#include <flowgraph/runtime/schedule/detail/scalar_loop.hpp>
#include <flowgraph/runtime/schedule/schedule.hpp>

#include <memory>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// Data that all such schedules of a run share.
struct schedule_setting {
  const flowgraph::detail::plan* plan = nullptr;
  const run_services* services = nullptr;
  const run_options* watched = nullptr;  // options of the run; null if nothing can end it early
  const random_ordinal* ordinals = nullptr;
};

// Executes the schedule of a body plan. It keeps its memory until reset(). Only one thread at a time may use it.
class owned_schedule {
public:
  // `layout`: null if no value is in an arena. Otherwise place_in() must be called before the first run.
  owned_schedule(const schedule_setting& setting, const body_plan& body, const body_layout* layout = nullptr);

  // Places the values of the layout in its arena, which begins here.
  void place_in(std::byte* arena);

  // Returns the slot for the value of an Enter or a feed, by its index in body_plan::enters.
  edge_value& entered(std::size_t k) { return places_[body_.enters[k].place]; }

  // Runs a loop to its end. If it returns false, take_failure() returns the error, which names node and iteration.
  bool run_loop(iteration& parent);
  // Stores the value of an Exit in `old`, after the loop has run. `exit`: index in body_plan::exits. The schedule gets the previous
  // memory of `old` in exchange.
  void take(std::size_t exit, edge_value& old);
  // Releases entered values, and references to memory of others. The schedule keeps its own memory for its next run.
  void drop_entered();

  // Runs a root once, from the first entry to the last. Returns false as run_loop does.
  bool run_root();
  // Stores a fetch in `value`, after the root has run. `exit`: index in body_plan::exits.
  bool fetch(std::size_t exit, any_tensor& value);
  // Keeps only the memory, for the next run.
  void end_run();

  void reset();
  error take_failure() { return calls_.take_failure(); }

private:
  // A step of the body, prepared as an entry.
  struct checked_call {
    owned_schedule* owner = nullptr;
    const body_step* step = nullptr;
    const plan_record* record = nullptr;
    kernel_entry::run_function kernel = nullptr;
    kernel_entry::run_function run = nullptr;  // runs the step, without the checks of a layout
    const void* attributes = nullptr;
    shape* shapes = nullptr;         // shapes of inputs and outputs at the last call
    edge_value* read = nullptr;      // values of variables, by input, referenced for the duration of a call
    std::uint32_t entry = 0;         // its index in the schedule
    std::uint32_t donor = no_index;  // an input whose memory the first output may reuse
    bool is_sized = false;      // the shapes are those of the last call, for inputs of these shapes and values of `asked` inputs
    bool exchanges = false;     // calls with these shapes overwrite their donor
    bool takes_memory = false;  // this call overwrites its donor
    bool is_direct = false;     // the layout calls the kernel without checks
    bool is_renewed = false;    // an output begins each call without its own memory
    std::uint64_t asked = 0;    // a bit for each input whose value the shapes depend on
    sequence<std::byte> asked_values;
  };

  static constexpr std::size_t worth_moving = 4096;  // size in bytes from which memory is passed on within a run

  void lay(checked_call& call, const body_step& step, std::size_t first_input, std::size_t first_output);
  static kernel_entry::run_function function_for(const checked_call& c, bool reads_variable);
  body_layout::call_kind kind_of_call(const body_step& step) const {
    return layout_ ? layout_->calls[static_cast<std::size_t>(&step - body_.steps.data())].kind : body_layout::call_kind::checked;
  }

  // The functions of entries; `op` is a checked_call.
  template <bool Renewed> static void run_kernel(const void* op, kernel_call& call);
  static void run_guarded(const void* op, kernel_call& call);
  static void decide(const void* op, kernel_call& call);
  static void select(const void* op, kernel_call& call);
  static void run_inner(const void* op, kernel_call& call);
  static void bind(const void* op, kernel_call& call);
  static void read(const void* op, kernel_call& call);
  static void drop_inputs(const void* op, kernel_call& call);
  // The functions of calls in an arena: a kernel on one side of a condition, an output that shows another value, and a call whose
  // outputs must have the shapes of the layout.
  static void run_direct(const void* op, kernel_call& call);
  static void show(const void* op, kernel_call& call);
  static void run_expected(const void* op, kernel_call& call);

  bool is_own(std::uint32_t place) const { return !layout_ || layout_->is_own(place); }
  bool is_own(const body_input& in) const { return in.is_constant || in.dereference || is_own(in.place); }
  bool enter(std::size_t k, const checked_call& loop, const run_services& run, error& failure);
  bool leave(std::size_t exit, any_tensor& old, bool shows, const run_services& run, error& failure);
  body_layout::passing passing_of(std::size_t k) const { return layout_ ? layout_->next[k].kind : body_layout::passing::own; }
  void pass_on();
  // impl/scalar_loop.hpp
  void* scalar_at(const body_input& in);
  void bind_scalars();
  bool run_scalar_kernel(const scalar_step& s, std::uint64_t index);
  bool run_scalar_loop();
  static bool has_shape(const any_tensor& t, const flowgraph::shape& wanted, error& failure);
  static bool copy_into(any_tensor& own, const any_tensor& from, const run_services& run, error& failure);

  static bool is_of_schedule(kernel_entry::run_function f);
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
  void carry_on();
  void drop_shared() {
    for (const std::uint32_t place : shared_) places_[place].tensor.reset();
  }
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
  const body_layout* layout_;  // null: no arena
  std::byte* arena_ = nullptr;
  schedule calls_;
  sequence<edge_value> places_;
  sequence<std::uint32_t> shared_;  // those of the body that are not in the arena
  // How values pass to the next iteration.
  struct passing_memory {
    sequence<edge_value> moving;
    sequence<std::byte*> spares;  // like body_plan::next: spare memory of values that are copied
    bool is_mixed = false;        // there are several ways
  };
  passing_memory passing_;
  scalar_loop scalars_;
  // The arrays of all calls, one after another.
  struct call_arrays {
    sequence<const edge_value*> inputs;
    sequence<edge_value*> outputs;
    sequence<edge_value> read;  // values of variables, by input
    sequence<shape> shapes;     // of the inputs and outputs of each call
  };
  call_arrays arrays_;
  // The arguments of a shape rule.
  struct rule_arguments {
    sequence<const shape*> shapes;
    sequence<const any_tensor*> tensors;
  };
  rule_arguments asked_;
  sequence<char> decided_;
  sequence<checked_call> steps_;
  sequence<std::unique_ptr<owned_schedule>> inner_;
  edge_value spare_;
  scratch_memory scratch_;
  sequence<binding> bindings_;  // bindings of a root
  resource bound_;
  frame_instance frame_;
};

}  // namespace flowgraph::detail

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/schedule/impl/owned_schedule.hpp>
#include <flowgraph/runtime/schedule/impl/scalar_loop.hpp>
#include <flowgraph/runtime/schedule/impl/values_in_arena.hpp>
#endif
