#pragma once
// Ops that return their input unchanged: to name an edge, to stop gradients, or to wait for other nodes.

#include <flowgraph/graph/apply.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns its input.
struct identity_op {
  static constexpr std::string_view name = "Identity";
  using types = edge_types;
  static constexpr op_facts facts{.alias = true, .passes_value = true};

  constexpr flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class T> using signature = void(view<const T>, view<T>);
  template <class T> out<T> gradient(out<T>, out<T>, out<T> dy) const { return dy; }
};

// Returns its input and stops gradients: gradients treat the result as a constant.
struct stop_gradient_op {
  static constexpr std::string_view name = "StopGradient";
  using types = edge_types;
  static constexpr op_facts facts{.alias = true, .passes_value = true};

  constexpr flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class T> using signature = void(view<const T>, view<T>);
  template <class T> none_type gradient(out<T>, out<T>, out<T>) const { return none; }
};

// Returns its input; a request for a gradient through it is an error.
struct prevent_gradient_op {
  static constexpr std::string_view name = "PreventGradient";
  using types = edge_types;
  static constexpr op_facts facts{.not_differentiable = true, .alias = true, .passes_value = true};
  std::string message;
  static constexpr auto attrs = flowgraph::attrs(attr("message", &prevent_gradient_op::message));

  constexpr flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class T> using signature = void(view<const T>, view<T>);
};

// Does nothing. It runs after its control inputs.
struct no_op {
  static constexpr std::string_view name = "NoOp";
  static constexpr op_facts facts{.not_differentiable = true};
  void operator()(cpu) const {}
};

template <class T> out<T> identity(out<T> x, site s = {}) { return apply(identity_op{}, x, s); }
template <class T> out<T> stop_gradient(out<T> x, site s = {}) { return apply(stop_gradient_op{}, x, s); }
template <class T> out<T> prevent_gradient(out<T> x, std::string message = {}, site s = {}) {
  return apply(prevent_gradient_op{std::move(message)}, x, s);
}

// Returns a target that runs all of `nodes`.
target group(const graph& g, std::span<const target> nodes, site s = {});
template <class... Nodes> target group(target first, const Nodes&... nodes) {
  const target all[]{first, target(nodes)...};
  return first.source ? group(graph_of(*first.source), all) : target();
}
// Returns a target that runs all targets, handles or variables of a list. If the list is empty, the target is empty.
template <class Node>
  requires std::is_convertible_v<Node, target> target group(const std::vector<Node>& nodes, site s = {}) {
  const std::vector<target> all(nodes.begin(), nodes.end());
  for (const target& t : all)
    if (t.source) return group(graph_of(*t.source), all, s);
  return {};
}

using identity_ops = type_list<identity_op, stop_gradient_op, prevent_gradient_op, no_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/array/detail/identity.hpp>
#endif
