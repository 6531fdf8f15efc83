#pragma once
// Nodes by which values enter a graph: constants, and placeholders that a run feeds.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// A constant: its value is known when the graph is built.
struct const_op {
  static constexpr std::string_view name = "Const";
  using types = type_attrs<type_attr<"dtype", all_types>>;
  static constexpr op_facts facts{.not_differentiable = true};
  any_tensor value;
  static constexpr auto attrs = flowgraph::attrs(required("value", &const_op::value));

  const any_tensor& constant() const { return value; }
  flowgraph::shape shape(shape_context& c) const { return value.has_value() ? value.shape() : c.fail("expected a value"); }

  // Runs only if the constant has control inputs.
  template <class T> void operator()(cpu ctx, unsized<T> y) const;
};

// A value that must be fed in every run that needs it.
struct placeholder_op {
  static constexpr std::string_view name = "Placeholder";
  using types = type_attrs<type_attr<"dtype", edge_types>>;
  static constexpr op_facts facts{.not_differentiable = true};
  flowgraph::shape declared = flowgraph::shape::unknown();
  static constexpr auto attrs = flowgraph::attrs(attr("shape", &placeholder_op::declared));

  const flowgraph::shape& placeholder() const { return declared; }
  constexpr flowgraph::shape shape() const { return declared; }
  template <class T> using signature = void(view<T>);
};

// A value that a run may feed; if it is not fed, the output is the input.
struct placeholder_with_default_op {
  static constexpr std::string_view name = "PlaceholderWithDefault";
  using types = type_attrs<type_attr<"dtype", edge_types>>;
  static constexpr op_facts facts{.may_be_fed = true, .alias = true};
  flowgraph::shape declared = flowgraph::shape::unknown();
  static constexpr auto attrs = flowgraph::attrs(required("shape", &placeholder_with_default_op::declared));

  flowgraph::shape shape(shape_context& c, flowgraph::shape x) const {
    return fits(x, declared) ? declared : c.fail(message{"expected an input of shape ", declared});
  }
  template <class T> using signature = void(view<const T>, view<T>);
  template <class T> out<T> gradient(out<T>, out<T>, out<T> dy) const { return dy; }
};

namespace detail {

// Adds a constant for the library's own use, named after the node that uses it, for example "MatMul/axes". `constant_in` adds it
// to the given graph, `constant_beside` to the graph of a handle. Elements in memory of the caller are copied.
template <class T> out<T> constant_in(graph_state& g, const tensor<T>& value, const site& s = {}) {
  const any_tensor& given = value.erased();
  const bool is_lent = given.owner() && !given.is_owned();
  return outputs_of<const_op, T>(add_to<const_op, T>(g, const_op{is_lent ? given.copy().value() : given}, {}, {}, s));
}
template <class T> out<T> constant_beside(const any_out& handle, const tensor<T>& value, const site& s = {}) {
  graph_state* const g = graph_of_inputs({&handle, 1}, const_op::name, s);
  return g ? constant_in(*g, value, s) : out<T>();
}
// Returns whether the extents fit an int32 vector. If they do not, or if the rank is unknown, as it is after more than 12 extents,
// raises an error at `s`. Without exceptions, the graph of `beside` keeps the error.
bool are_extents(const any_out& beside, const flowgraph::shape& extents, const site& s);
// Returns the extents of a shape as a constant vector, with -1 for unknown extents. Refuses the shapes that are_extents refuses.
out<std::int32_t> shape_constant(const any_out& beside, const flowgraph::shape& extents, const site& s);

// Returns the value of a handle if it is the output of a Const, and null otherwise.
const any_tensor* constant_value(const any_out& handle);

// Returns the site for a node that is added as a part of a user's node.
inline site part_of(const site& whole, std::string_view name) { return {name, whole.location}; }

}  // namespace detail

template <class T> out<T> graph::constant(const tensor<T>& value, site s) { return detail::constant_in(state(), value, s); }
template <class T>
  requires element<T> out<T> graph::constant(T value, site s) {
  return detail::constant_in(state(), tensor<T>(std::move(value)), s);
}
template <class T> out<T> graph::placeholder(std::string_view name, const flowgraph::shape& shape, site s) {
  if (s.name.empty()) s.name = name;
  return apply_in<T>(*this, placeholder_op{shape}, s);
}

// Adds a constant with the given value, which is stored in the graph.
template <class T> out<T> constant(const graph& g, const tensor<T>& value, site s = {}) {
  return detail::constant_in(g.state(), value, s);
}
// A fed value may have any shape that matches `declared`.
template <class T> out<T> placeholder_with_default(out<T> x, const shape& declared, site s = {}) {
  return apply(placeholder_with_default_op{declared}, x, s);
}

using constant_ops = type_list<const_op, placeholder_op, placeholder_with_default_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/constant.hpp>
#endif
