#pragma once
// An op that ends a run from within the graph.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Ends the run with the error `aborted`. In TensorFlow it ends the process, with or without an error; here the process continues.
struct abort_op {
  static constexpr std::string_view name = "Abort";
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  std::string error_msg = {};
  bool exit_without_error = false;
  static constexpr auto attrs =
      flowgraph::attrs(attr("error_msg", &abort_op::error_msg), attr("exit_without_error", &abort_op::exit_without_error));

  void operator()(cpu ctx) const;
};

using abort_ops = type_list<abort_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/control_flow/detail/abort.hpp>
#endif
