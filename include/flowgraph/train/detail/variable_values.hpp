#pragma once
// Reads and writes of variables of both kinds, by reference and behind a resource handle, for functions that process all
// variables of a graph.

#include <flowgraph/graph/graph.hpp>
#include <flowgraph/graph/graph_state.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>
#include <flowgraph/ops/state/variable.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline bool is_handle(const any_out& variable) { return variable.source->op->of_variable == variable_role::handle; }
inline dtype type_of_variable(const any_out& variable) {
  return is_handle(variable) ? variable.source->op->types()[0].type : variable.type();
}
// Returns the declared shape.
inline shape shape_of_variable(const any_out& variable) {
  if (!is_handle(variable)) return variable.shape();
  const attribute_value declared = attribute_of(*variable.source, "shape");
  const shape* const known = declared.get<shape>();
  return known ? *known : shape::unknown();
}

// Adds the node that reads a variable behind a handle. The value of a reference is the reference itself.
template <class T> any_out value_of_variable(const any_out& v) {
  if (!is_handle(v)) return v;
  return apply_as<T>({}, read_variable_op{}, out<resource>(v.source, v.port));
}
template <class T> target assign_variable(const any_out& v, const any_out& value) {
  const out<T> from(value.source, value.port);
  if (is_handle(v)) return apply_as<T>({}, assign_variable_op{}, out<resource>(v.source, v.port), from);
  return apply(assign_op{.validate_shape = shape_of_variable(v).is_known()}, out<T>(v.source, v.port), from);
}

// Calls f.operator()<T>() with the type of a variable.
template <class F> void with_type(dtype type, F&& f) {
  visit_type(
      type,
      [&]<class T>() {
        if constexpr (!is_counted(dtype_of<T>)) f.template operator()<T>();
      },
      [] {});
}

}  // namespace flowgraph::detail
