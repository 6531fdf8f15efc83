#pragma once
// The facts that an op declares about itself. An op declares them in one constant, so that a misspelt name does not compile. The
// designators must be in the order of the members:
//
//     static constexpr fg::op_facts facts{.stateful = true, .in_place = true};
//
// A base class of ops declares `base_facts` instead. An op has these facts and its own. A class that hides the facts of its base
// class repeats them:
//
//     static constexpr fg::op_facts base_facts = elementwise_base::base_facts.with({.not_differentiable = true});

#include <flowgraph/op/work_figure.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

struct flow_rules;
struct gradient_call;

}  // namespace detail

// The computation of an op, bit by bit: passes use its laws, and loops of scalars compute it without the kernel. Most ops have
// the value `none`.
enum class op_meaning : std::uint8_t {
  none,
  sum,  // a + b, with broadcasting; also difference, product and quotient
  difference,
  product,
  quotient,
  involution,  // applied twice, it returns its input: -x, not x, the conjugate
  cast,        // x in another element type, with values rounded to it
  transpose,   // axis i of y is axis perm[i] of x
  reshape,     // the elements of x in the shape given by the second input
  reduction,   // reduction of the first input over the axes in the second; without axes it returns the input
  summation,   // a reduction that starts with 0: without axes, -0 becomes 0
  less,        // a < b, with broadcasting; also the comparisons that follow
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  conjunction,      // a and b
  disjunction,      // a or b
  floor_quotient,   // floor(a / b)
  floor_remainder,  // a - b floor(a / b)
  larger,           // NaN if either is NaN; also `smaller`
  smaller,
  choice,  // the second input where the first is true, else the third
};

// The role of a node in control flow, for the executor. `loop` is not an op but a whole loop that runs as one record. A send
// passes a value, or a signal that the value is dead, to the receive with the same edge in another part of the run.
enum class control_flow : std::uint8_t {
  none,
  switch_,
  merge,
  enter,
  exit,
  next_iteration,
  loop_cond,
  control_trigger,
  loop,
  send,
  receive
};

// The function of an op for the history of a loop, which is the list of the values of its iterations.
enum class history_role : std::uint8_t { none, empty, push, pop, value, sum, zeros };
// The function of an op for arrays of tensors: it creates an array, returns the array of its gradients, or reads an element.
enum class array_role : std::uint8_t { none, declares, gradient, read };
// The function of an op for variables: it creates a variable with a reference, creates a handle, assigns to either, or returns
// the reference of a variable that is given by its handle.
enum class variable_role : std::uint8_t { none, reference, handle, assign, of_handle };

namespace detail {

// Facts of ops that the engine itself needs: branches, loops, variables and resources of one run. Ops of a program do not declare
// them.
struct engine_facts {
  control_flow control = control_flow::none;                                // its role in branches and loops
  history_role in_history = history_role::none;                             // its role for the histories of loops
  array_role in_array = array_role::none;                                   // its role for arrays of tensors
  variable_role of_variable = variable_role::none;                          // its role for variables
  bool finishes = false;                                                    // for floats, the kernel applies run_services::finish
  const flow_rules& (*step_rules)() = nullptr;                              // rules of a run that contains the op
  void (*gradient_by_call)(const void* op, gradient_call& call) = nullptr;  // a gradient that needs the whole call

  bool operator==(const engine_facts&) const = default;
};

}  // namespace detail

// The facts of an op. A member that is not set has no effect.
struct op_facts {
  bool not_differentiable = false;        // the op has no gradient
  bool differentiates_variants = false;   // the gradient is also valid for element type variant
  bool stateful = false;                  // each run has an effect: the node is never folded, merged, or removed as a target
  bool counts_runs = false;               // the kernel uses `ctx.ordinal()`, the number of earlier runs of the node
  bool per_run = false;                   // the op stores data in `ctx.run_resources()`, which live as long as the run
  bool outputs_stay = false;              // the outputs name resources of a device: nodes that read them run there too
  bool may_be_fed = false;                // the node represents an edge that may be fed: it is kept when a graph is exported
  bool in_place = false;                  // the kernel may write an output into the memory of an input of the same size
  bool alias = false;                     // output 0 is input 0, possibly in another shape: the op has no kernel
  bool passes_value = false;              // output k is input k: the kernel is called only if the op is also stateful
  bool shape_only = false;                // the outputs depend only on the shapes of the inputs
  bool elementwise = false;               // inputs of one shape give outputs of that shape; others go through the shape rule
  bool may_fail = false;                  // the kernel may report an error because of the elements of an input
  bool expensive = false;                 // the kernel is worth its own thread even if its tensors are small
  work_figure work = {};                  // the operations of a call, for cost models
  op_meaning meaning = op_meaning::none;  // the op computes exactly the same bits as this operation
  detail::engine_facts engine = {};       // only for ops of the library

  // Returns these facts and the facts that are set in `more`.
  constexpr op_facts with(const op_facts& more) const;

  bool operator==(const op_facts&) const = default;
};

namespace detail {

// Adds the facts that are set in `from`.
constexpr void add_facts(engine_facts& into, const engine_facts& from) {
  if (from.control != control_flow::none) into.control = from.control;
  if (from.in_history != history_role::none) into.in_history = from.in_history;
  if (from.in_array != array_role::none) into.in_array = from.in_array;
  if (from.of_variable != variable_role::none) into.of_variable = from.of_variable;
  if (from.finishes) into.finishes = true;
  if (from.step_rules != nullptr) into.step_rules = from.step_rules;
  if (from.gradient_by_call != nullptr) into.gradient_by_call = from.gradient_by_call;
}
constexpr void add_facts(op_facts& into, const op_facts& from) {
  if (from.not_differentiable) into.not_differentiable = true;
  if (from.differentiates_variants) into.differentiates_variants = true;
  if (from.stateful) into.stateful = true;
  if (from.counts_runs) into.counts_runs = true;
  if (from.per_run) into.per_run = true;
  if (from.outputs_stay) into.outputs_stay = true;
  if (from.may_be_fed) into.may_be_fed = true;
  if (from.in_place) into.in_place = true;
  if (from.alias) into.alias = true;
  if (from.passes_value) into.passes_value = true;
  if (from.shape_only) into.shape_only = true;
  if (from.elementwise) into.elementwise = true;
  if (from.may_fail) into.may_fail = true;
  if (from.expensive) into.expensive = true;
  if (from.work.is_declared()) into.work = from.work;
  if (from.meaning != op_meaning::none) into.meaning = from.meaning;
  add_facts(into.engine, from.engine);
}

}  // namespace detail

constexpr op_facts op_facts::with(const op_facts& more) const {
  op_facts result = *this;
  detail::add_facts(result, more);
  return result;
}

}  // namespace flowgraph
