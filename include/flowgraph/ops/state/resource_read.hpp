#pragma once
// The shape of a variable that is identified by a resource handle, and slices of its value.

#include <flowgraph/ops/array/gather_nd.hpp>
#include <flowgraph/ops/state/resource_variable.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns the shape of the variable's value as a vector.
struct variable_shape_op {
  static constexpr std::string_view name = "VariableShape";
  using types = type_attrs<type_attr<"out_type", index_types>>;
  static constexpr auto host_outputs = flowgraph::host_outputs(0);
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  flowgraph::shape shape(const flowgraph::shape&) const { return {any}; }
  template <class T> void operator()(cpu ctx, view<const resource> handle, unsized<T> y) const;
};

// Selects slices of a variable by index vectors: y[i...] = variable[indices[i..., 0], indices[i..., 1], ...].
struct resource_gather_nd_op {
  static constexpr std::string_view name = "ResourceGatherNd";
  using types = type_attrs<type_attr<"dtype", all_types>, type_attr<"Tindices", index_types>>;
  static constexpr op_facts facts{.stateful = true};

  flowgraph::shape shape(const flowgraph::shape&, const flowgraph::shape&) const { return flowgraph::shape::unknown(); }
  template <class T, class I> void operator()(cpu ctx, view<const resource> handle, index_view<I> indices, unsized<T> y) const;
  template <class T, class I> gradients_of<T, 2> gradient(out<resource> handle, out<I> indices, out<T>, out<T> dy) const {
    const out<T> whole = apply_as<T>({}, read_variable_op{}, handle);
    return {{detail::gather_nd_gradient(dy, whole, indices, bad_indices_policy::unset), none}};
  }
};

using resource_read_ops = type_list<variable_shape_op, resource_gather_nd_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/state/detail/resource_read.hpp>
#endif
