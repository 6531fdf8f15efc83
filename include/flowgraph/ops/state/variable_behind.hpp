#pragma once
// Access by reference to the variable behind a resource handle, in the form that `graph::variable` returns. Optimizers and
// averages require variables in this form.
//
//     auto w = fg::variable_behind<float>(model.nodes().output("dense/kernel").value());
//     auto train = fg::adam{.rate = 1e-3f}.minimize(loss, w);

#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns a reference to the variable that a handle identifies. TensorFlow has no such op, so a graph that contains it is only
// exported if flowgraph's own ops are requested.
struct variable_of_handle_op {
  static constexpr std::string_view name = "VariableOfHandle";
  using types = type_attrs<type_attr<"dtype", all_types>>;
  static constexpr op_facts facts{.stateful = true, .engine = {.of_variable = variable_role::of_handle}};
  flowgraph::shape declared = flowgraph::shape::unknown();
  static constexpr auto attrs = flowgraph::attrs(required("shape", &variable_of_handle_op::declared));

  flowgraph::shape shape(const flowgraph::shape&) const { return declared; }
  // The kernel uses the type of its output instead of T: loops and branches make its op table when the type is known.
  template <class T> void operator()(cpu ctx, view<const resource> handle, reference_out<T> y) const;
  template <class T> out<T> gradient(out<resource>, out<T>, out<T> dy) const { return dy; }
};

using variable_behind_ops = type_list<variable_of_handle_op>;

namespace detail {

// Returns an error if `handle` is not the handle of a variable of the given type.
error check_handle(const any_out& handle, dtype type, const std::source_location& where);

// Returns the node that already refers to the variable behind `handle`. If there is no such node, returns null and sets `op` with
// the declared shape.
node* find_variable_of(const any_out& handle, variable_of_handle_op& op);

// Returns the output of the node that already refers to the variable. If there is no such node, returns the result of add(op,
// handle).
template <class Add> any_out variable_of(const any_out& handle, const Add& add) {
  variable_of_handle_op op;
  if (node* const found = find_variable_of(handle, op)) return {found, 0};
  const owned_nodes beside(*handle.source);
  const auto there = graph_of(*handle.source).on_device(handle.source->device);
  return add(op, handle);
}

}  // namespace detail

// Returns the variable behind a handle, as a variable of type T. The variable is one of graph::variables() and has no
// initializer. Each call for the same handle returns the same edge. If the handle is not the output of a VarHandleOp, or if the
// variable has another type, returns an error.
template <class T>
result<variable<T>> variable_behind(const any_out& handle, std::source_location where = std::source_location::current()) {
  if (error why = detail::check_handle(handle, dtype_of<T>, where)) return why;
  const any_out output = detail::variable_of(handle, [&](const variable_of_handle_op& op, const any_out& h) {
    return any_out(apply_as<T>({"Variable", where}, op, out<resource>{h.source, h.port}));
  });
  variable<T> v;
  static_cast<out<T>&>(v) = {output.source, output.port};
  return v;
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/state/detail/variable_behind.hpp>
#endif
#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/state/impl/variable_behind.hpp>
#endif
