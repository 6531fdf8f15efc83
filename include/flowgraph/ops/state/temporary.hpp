#pragma once
// Temporary variables. Each exists for one run or, within a loop, for one iteration.

#include <flowgraph/ops/state/variable.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Makes a temporary variable of zeros in each run. Its name within the run is `var_name`, or the node's name if `var_name` is
// empty.
struct temporary_variable_op {
  static constexpr std::string_view name = "TemporaryVariable";
  using types = type_attrs<type_attr<"dtype", all_types>>;
  static constexpr op_facts facts{
      .not_differentiable = true, .stateful = true, .per_run = true, .engine = {.step_rules = &detail::rules_of_flow}};
  flowgraph::shape declared = flowgraph::shape::unknown();
  std::string var_name = {};
  static constexpr auto attrs =
      flowgraph::attrs(required("shape", &temporary_variable_op::declared), attr("var_name", &temporary_variable_op::var_name));

  flowgraph::shape shape() const { return declared; }
  template <class T> void operator()(cpu ctx, reference_out<T> y) const;
};

// Returns the last value of a temporary variable, and frees the variable.
struct destroy_temporary_variable_op {
  static constexpr std::string_view name = "DestroyTemporaryVariable";
  using types = all_types;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .per_run = true};
  std::string var_name = {};
  static constexpr auto attrs = flowgraph::attrs(required("var_name", &destroy_temporary_variable_op::var_name));

  flowgraph::shape shape(const flowgraph::shape& ref) const { return ref; }
  template <class T> void operator()(cpu ctx, reference<T> ref, unsized<T> y) const;
};

using temporary_ops = type_list<temporary_variable_op, destroy_temporary_variable_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/state/detail/temporary.hpp>
#endif
#ifdef FLOWGRAPH_BODIES
#include <flowgraph/runtime/schedule/impl/flow_rules.hpp>
#endif
