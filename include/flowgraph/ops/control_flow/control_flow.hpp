#pragma once
// The nodes that conditions and loops consist of. The executor runs them; the edges of a branch that is not taken are dead.
//
//     auto [no, yes] = fg::switch_(x, positive);
//     auto [y, which] = fg::merge({fg::exp(no), fg::log(yes)});

#include <flowgraph/ops/accumulate.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/identity.hpp>
#include <flowgraph/ops/math/comparison.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape_list switch_shapes(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& predicate);
shape_list merge_shapes(shape_context& c, std::span<const flowgraph::shape> x);

// Adds the gradient of a Switch. Each output has its own gradient, which is dead if the output is dead; a Merge combines the two
// gradients.
void gradient_of_switch(const void* op, gradient_call& call);
// Adds the gradient of a Merge. The gradient passes through the same switches as the inputs, so that the selected input gets it;
// the gradients of the other inputs are dead.
void gradient_of_merge(const void* merge, gradient_call& call);

}  // namespace detail

// Passes data to one of two outputs: to the second if the predicate is true, otherwise to the first. The other output is dead.
struct switch_op {
  static constexpr std::string_view name = "Switch";
  using types = edge_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true,
                                  .engine = {.control = control_flow::switch_, .gradient_by_call = &detail::gradient_of_switch}};

  shape_list shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& p) const {
    return detail::switch_shapes(c, x, p);
  }
  template <class T> using signature = void(view<const T>, view<const bool>, view<T>, view<T>);
};

// Passes a reference to one of two outputs, like Switch.
struct ref_switch_op {
  static constexpr std::string_view name = "RefSwitch";
  using types = all_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(1);
  static constexpr op_facts facts{.not_differentiable = true,
                                  .engine = {.control = control_flow::switch_, .gradient_by_call = &detail::gradient_of_switch}};

  shape_list shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& p) const {
    return detail::switch_shapes(c, x, p);
  }
  template <class T> using signature = void(reference_in<T>, view<const bool>, reference_out<T>, reference_out<T>);
};

// Returns the first input that arrives and is not dead, and its index.
struct merge_op {
  static constexpr std::string_view name = "Merge";
  using types = edge_types;
  static constexpr auto host_outputs = flowgraph::host_outputs(1);
  static constexpr op_facts facts{.not_differentiable = true,
                                  .engine = {.control = control_flow::merge, .gradient_by_call = &detail::gradient_of_merge}};

  shape_list shape(shape_context& c, std::span<const flowgraph::shape> x) const { return detail::merge_shapes(c, x); }
  template <class T> using signature = void(view_list<const T>, view<T>, view<std::int32_t>);
};

// Returns the first reference that arrives and is not dead, and its index.
struct ref_merge_op {
  static constexpr std::string_view name = "RefMerge";
  using types = all_types;
  static constexpr auto host_outputs = flowgraph::host_outputs(1);
  static constexpr op_facts facts{.not_differentiable = true,
                                  .engine = {.control = control_flow::merge, .gradient_by_call = &detail::gradient_of_merge}};

  shape_list shape(shape_context& c, std::span<const flowgraph::shape> x) const { return detail::merge_shapes(c, x); }
  template <class T> using signature = void(reference_list<T>, reference_out<T>, view<std::int32_t>);
};

// Passes a value into the loop named by `frame_name`: to all iterations if `is_constant` is set, otherwise to the first
// iteration.
struct enter_op {
  static constexpr std::string_view name = "Enter";
  using types = edge_types;
  static constexpr op_facts facts{.not_differentiable = true, .engine = {.control = control_flow::enter}};
  std::string frame_name = {};
  bool is_constant = false;
  std::int64_t parallel_iterations = 10;
  static constexpr auto attrs =
      flowgraph::attrs(required("frame_name", &enter_op::frame_name), attr("is_constant", &enter_op::is_constant),
                       attr("parallel_iterations", &enter_op::parallel_iterations));

  // A loop variable enters with its first value; later values may have another shape.
  flowgraph::shape shape(const flowgraph::shape& x) const { return is_constant ? x : flowgraph::shape::unknown(); }
  template <class T> using signature = void(view<const T>, view<T>);
};

// Passes a reference into the loop named by `frame_name`, like Enter.
struct ref_enter_op : enter_op {
  static constexpr std::string_view name = "RefEnter";
  using types = all_types;

  flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class T> using signature = void(reference_in<T>, reference_out<T>);
};

namespace detail {

// Adds the gradient of a loop: a loop that runs backwards. It is called for an Exit and handles the whole loop of that Exit.
void gradient_of_loop(const void* exit, gradient_call& call);

}  // namespace detail

// Returns the value of the last iteration when the loop ends.
struct exit_op {
  static constexpr std::string_view name = "Exit";
  using types = edge_types;
  static constexpr op_facts facts{.not_differentiable = true,
                                  .engine = {.control = control_flow::exit, .gradient_by_call = &detail::gradient_of_loop}};

  flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class T> using signature = void(view<const T>, view<T>);
};

// Returns the reference of the last iteration when the loop ends.
struct ref_exit_op : exit_op {
  static constexpr std::string_view name = "RefExit";
  using types = all_types;
  template <class T> using signature = void(reference_in<T>, reference_out<T>);
};

// Passes a value to the next iteration.
struct next_iteration_op {
  static constexpr std::string_view name = "NextIteration";
  using types = edge_types;
  static constexpr op_facts facts{.not_differentiable = true, .engine = {.control = control_flow::next_iteration}};

  flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class T> using signature = void(view<const T>, view<T>);
};

// Passes a reference to the next iteration.
struct ref_next_iteration_op : next_iteration_op {
  static constexpr std::string_view name = "RefNextIteration";
  using types = all_types;
  template <class T> using signature = void(reference_in<T>, reference_out<T>);
};

// Marks the condition of a loop.
struct loop_cond_op {
  static constexpr std::string_view name = "LoopCond";
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr auto host_outputs = flowgraph::host_outputs(0);
  static constexpr op_facts facts{.not_differentiable = true, .engine = {.control = control_flow::loop_cond}};

  flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  using signature = void(view<const bool>, view<bool>);
};

// Does nothing, but runs after its control inputs. It is not dead, even if its control inputs are dead.
struct control_trigger_op {
  static constexpr std::string_view name = "ControlTrigger";
  static constexpr op_facts facts{.not_differentiable = true, .engine = {.control = control_flow::control_trigger}};
  using signature = void();
};

// The two outputs of `switch_`: one of them is live, the other is dead.
template <class T> struct switched {
  out<T> if_false, if_true;  // if_false is live if the predicate is false, and if_true is live if it is true
};
// The outputs of a merge.
template <class T> struct merged_inputs {
  out<T> value;             // the value of the live input
  out<std::int32_t> index;  // the index of the live input
};

template <class T> switched<T> switch_(const out<T>& x, const out<bool>& predicate, site s = {}) {
  const auto [no, yes] = apply(switch_op{}, x, predicate, s);
  return {no, yes};
}
template <class T> merged_inputs<T> merge(const out_list<T>& inputs, site s = {}) {
  const auto [value, index] = apply(merge_op{}, inputs, s);
  return {value, index};
}
template <class T> merged_inputs<T> merge(std::initializer_list<out<T>> inputs, site s = {}) {
  return merge(out_list<T>(inputs), s);
}

using control_flow_ops = type_list<switch_op, ref_switch_op, merge_op, ref_merge_op, enter_op, ref_enter_op, exit_op, ref_exit_op,
                                   next_iteration_op, ref_next_iteration_op, loop_cond_op, control_trigger_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/control_flow/impl/control_flow.hpp>
#include <flowgraph/ops/control_flow/impl/loop_gradient.hpp>
#include <flowgraph/runtime/schedule/impl/flow_rules.hpp>
#endif
