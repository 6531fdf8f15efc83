#pragma once
// Stacks of tensors that a run pushes and pops. Gradients of loops in old graphs use them to save the values of iterations.
//
// A stack exists at most until the end of the run that made it. Values are shared, not copied.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The ways in which an op refers to its stack: a resource, or a reference to two strings.
struct stack_handle {
  using parameter = view<const resource>;
  static constexpr bool by_name = false;
};
struct stack_reference {
  using parameter = reference_in<std::string>;
  static constexpr bool by_name = true;
};

template <class Handle> struct stack_push {
  using types = edge_types;
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true, .per_run = Handle::by_name};
  bool swap_memory = false;  // has no effect: the values are already in memory to which TensorFlow would swap them
  static constexpr auto attrs = flowgraph::attrs(attr("swap_memory", &stack_push::swap_memory));

  flowgraph::shape shape(const flowgraph::shape&, const flowgraph::shape& value) const { return value; }
  template <class T> void operator()(cpu ctx, typename Handle::parameter stack, view<const T> value, unsized<T> same_value) const;
};

template <class Handle> struct stack_pop {
  using types = type_attrs<type_attr<"elem_type", edge_types>>;
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true, .per_run = Handle::by_name};

  flowgraph::shape shape(const flowgraph::shape&) const { return flowgraph::shape::unknown(); }
  template <class T> void operator()(cpu ctx, typename Handle::parameter stack, unsized<T> value) const;
};

template <class Handle> struct stack_close {
  static constexpr op_facts base_facts{.not_differentiable = true, .stateful = true, .per_run = Handle::by_name};

  void operator()(cpu ctx, typename Handle::parameter stack) const;
};

}  // namespace detail

// Makes a stack of tensors of one element type. If `max_size` is not negative, it is the largest number of tensors.
struct stack_v2_op {
  static constexpr std::string_view name = "StackV2";
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr op_facts facts{
      .not_differentiable = true, .stateful = true, .per_run = true, .engine = {.step_rules = &detail::rules_of_flow}};
  dtype element = dtype::invalid;
  std::string stack_name = {};
  static constexpr auto attrs =
      flowgraph::attrs(required("elem_type", &stack_v2_op::element), attr("stack_name", &stack_v2_op::stack_name));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& max_size) const {
    return fits(max_size, {}) ? flowgraph::shape{} : c.fail("max_size must be a scalar");
  }
  void operator()(cpu ctx, view<const std::int32_t> max_size, unsized<resource> handle) const;
};

// Makes a stack, and returns a reference to its handle.
struct stack_op {
  static constexpr std::string_view name = "Stack";
  static constexpr op_facts facts{
      .not_differentiable = true, .stateful = true, .per_run = true, .engine = {.step_rules = &detail::rules_of_flow}};
  dtype element = dtype::invalid;
  std::string stack_name = {};
  static constexpr auto attrs =
      flowgraph::attrs(required("elem_type", &stack_op::element), attr("stack_name", &stack_op::stack_name));

  flowgraph::shape shape() const { return {2}; }
  void operator()(cpu ctx, reference_out<std::string> handle) const;
};

// Pushes a value onto a stack, and returns the value.
struct stack_push_v2_op : detail::stack_push<detail::stack_handle> {
  static constexpr std::string_view name = "StackPushV2";
};

// Pops the value on top of a stack.
struct stack_pop_v2_op : detail::stack_pop<detail::stack_handle> {
  static constexpr std::string_view name = "StackPopV2";
};

// Frees the values of a stack before the run ends. The stack cannot be used afterwards.
struct stack_close_v2_op : detail::stack_close<detail::stack_handle> {
  static constexpr std::string_view name = "StackCloseV2";
};

// Pushes a value onto a stack passed by reference, and returns the value.
struct stack_push_op : detail::stack_push<detail::stack_reference> {
  static constexpr std::string_view name = "StackPush";
};

// Pops the value on top of a stack passed by reference.
struct stack_pop_op : detail::stack_pop<detail::stack_reference> {
  static constexpr std::string_view name = "StackPop";
};

// Frees the values of a stack before the run ends. The stack is passed by reference.
struct stack_close_op : detail::stack_close<detail::stack_reference> {
  static constexpr std::string_view name = "StackClose";
};

using stack_ops = type_list<stack_v2_op, stack_op, stack_push_v2_op, stack_pop_v2_op, stack_close_v2_op, stack_push_op,
                            stack_pop_op, stack_close_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/stack.hpp>
#endif
#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/schedule/impl/flow_rules.hpp>
#endif
