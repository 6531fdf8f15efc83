#pragma once
// Stacks of tensors that a run pushes and pops: what the gradients of loops in old graphs keep their iterations' values on.
//
// A stack lives as long as the run that makes it, at most. What is pushed is shared, not copied.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// How an op names its stack: by a resource, or by two strings behind a reference.
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
  static constexpr bool not_differentiable = true, stateful = true, per_run = Handle::by_name;
  bool swap_memory = false;  // of no effect: what is pushed lies where it can be swapped
  static constexpr auto attrs = flowgraph::attrs(attr("swap_memory", &stack_push::swap_memory));

  flowgraph::shape shape(const flowgraph::shape&, const flowgraph::shape& value) const { return value; }
  template <class T> void operator()(cpu ctx, typename Handle::parameter stack, view<const T> value, unsized<T> same_value) const;
};

template <class Handle> struct stack_pop {
  using types = type_attrs<type_attr<"elem_type", edge_types>>;
  static constexpr bool not_differentiable = true, stateful = true, per_run = Handle::by_name;

  flowgraph::shape shape(const flowgraph::shape&) const { return flowgraph::shape::unknown(); }
  template <class T> void operator()(cpu ctx, typename Handle::parameter stack, unsized<T> value) const;
};

template <class Handle> struct stack_close {
  static constexpr bool not_differentiable = true, stateful = true, per_run = Handle::by_name;

  void operator()(cpu ctx, typename Handle::parameter stack) const;
};

}  // namespace detail

// Makes a stack of tensors of a type, of at most `max_size` where that is not negative.
struct stack_v2_op {
  static constexpr std::string_view name = "StackV2";
  static constexpr auto host_inputs = flowgraph::host_inputs(0);
  static constexpr bool not_differentiable = true, stateful = true, per_run = true;
  static constexpr auto step_rules = &detail::rules_of_flow;
  dtype element = dtype::invalid;
  std::string stack_name = {};
  static constexpr auto attrs =
      flowgraph::attrs(required("elem_type", &stack_v2_op::element), attr("stack_name", &stack_v2_op::stack_name));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& max_size) const {
    return fits(max_size, {}) ? flowgraph::shape{} : c.fail("max_size must be a scalar");
  }
  void operator()(cpu ctx, view<const std::int32_t> max_size, unsized<resource> handle) const;
};

// Makes a stack, whose handle is behind a reference.
struct stack_op {
  static constexpr std::string_view name = "Stack";
  static constexpr bool not_differentiable = true, stateful = true, per_run = true;
  static constexpr auto step_rules = &detail::rules_of_flow;
  dtype element = dtype::invalid;
  std::string stack_name = {};
  static constexpr auto attrs =
      flowgraph::attrs(required("elem_type", &stack_op::element), attr("stack_name", &stack_op::stack_name));

  flowgraph::shape shape() const { return {2}; }
  void operator()(cpu ctx, reference_out<std::string> handle) const;
};

// Puts a value on top of a stack, and hands it on.
struct stack_push_v2_op : detail::stack_push<detail::stack_handle> {
  static constexpr std::string_view name = "StackPushV2";
};

// Takes the value on top of a stack.
struct stack_pop_v2_op : detail::stack_pop<detail::stack_handle> {
  static constexpr std::string_view name = "StackPopV2";
};

// Drops the values before the run ends; the stack cannot be used any more.
struct stack_close_v2_op : detail::stack_close<detail::stack_handle> {
  static constexpr std::string_view name = "StackCloseV2";
};

// Puts a value on top of a stack behind a reference, and hands it on.
struct stack_push_op : detail::stack_push<detail::stack_reference> {
  static constexpr std::string_view name = "StackPush";
};

// Takes the value on top of a stack behind a reference.
struct stack_pop_op : detail::stack_pop<detail::stack_reference> {
  static constexpr std::string_view name = "StackPop";
};

// Drops the values of a stack behind a reference before the run ends.
struct stack_close_op : detail::stack_close<detail::stack_reference> {
  static constexpr std::string_view name = "StackClose";
};

using stack_ops = type_list<stack_v2_op, stack_op, stack_push_v2_op, stack_pop_v2_op, stack_close_v2_op, stack_push_op,
                            stack_pop_op, stack_close_op>;

}
}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/data_flow/detail/stack.hpp>
#endif
#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/impl/flow_rules.hpp>
#endif
