#pragma once
// Variables that are identified by handles, which are tensors of type `resource`. They are stored like variables behind reference
// edges, but an op reads their values.
//
// Imported graphs contain such variables; `graph::variable` makes variables behind references.

#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/state/scatter.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the gradient for rows that are gathered from the variable behind a handle.
template <class T, class I>
any_grad gathered_variable_gradient(const out<T>& dy, const out<resource>& handle, const out<I>& indices,
                                    std::int64_t batch_dims);

}  // namespace detail

// Returns a handle to a variable in the session's container.
struct var_handle_op {
  static constexpr std::string_view name = "VarHandleOp";
  using types = type_attrs<type_attr<"dtype", all_types>>;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .engine = {.of_variable = variable_role::handle}};
  flowgraph::shape declared = flowgraph::shape::unknown();
  std::string container = {}, shared_name = {}, debug_name = {};
  std::vector<std::string> allowed_devices = {};
  static constexpr auto attrs =
      flowgraph::attrs(attr("container", &var_handle_op::container), attr("shared_name", &var_handle_op::shared_name),
                       attr("debug_name", &var_handle_op::debug_name), required("shape", &var_handle_op::declared),
                       attr("allowed_devices", &var_handle_op::allowed_devices));

  flowgraph::shape shape() const { return {}; }
  // The type attribute is not the type of an argument.
  template <class T> void operator()(cpu ctx, unsized<resource> y) const;
};

// Returns the value of a variable.
struct read_variable_op {
  static constexpr std::string_view name = "ReadVariableOp";
  using types = type_attrs<type_attr<"dtype", all_types>>;
  static constexpr op_facts facts{.stateful = true};

  flowgraph::shape shape(const flowgraph::shape&) const { return flowgraph::shape::unknown(); }
  template <class T> void operator()(cpu ctx, view<const resource> handle, unsized<T> y) const;
  template <class T> out<T> gradient(out<resource>, out<T>, out<T> dy) const { return dy; }
};

// Returns whether a variable has a value.
struct var_is_initialized_op {
  static constexpr std::string_view name = "VarIsInitializedOp";
  static constexpr auto host_outputs = flowgraph::host_outputs(0);
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  void operator()(cpu ctx, view<const resource> handle, view<bool> y) const;
};

// Assigns a value to a variable. The value may have any shape unless `validate_shape` is set.
struct assign_variable_op {
  static constexpr std::string_view name = "AssignVariableOp";
  using types = type_attrs<type_attr<"dtype", all_types>>;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .engine = {.of_variable = variable_role::assign}};
  bool validate_shape = false;
  static constexpr auto attrs = flowgraph::attrs(attr("validate_shape", &assign_variable_op::validate_shape));

  template <class T> void operator()(cpu ctx, variable_handle<T> v, view<const T> value) const;
};

// Adds a value to a variable.
struct assign_add_variable_op {
  static constexpr std::string_view name = "AssignAddVariableOp";
  using types = type_attrs<type_attr<"dtype", numbers>>;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  template <class T> void operator()(cpu ctx, variable_handle<T> v, view<const T> value) const;
};

// Subtracts a value from a variable.
struct assign_sub_variable_op {
  static constexpr std::string_view name = "AssignSubVariableOp";
  using types = type_attrs<type_attr<"dtype", numbers>>;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  template <class T> void operator()(cpu ctx, variable_handle<T> v, view<const T> value) const;
};

// Selects rows of a variable by index. The first `batch_dims` axes of the variable and the indices are batch axes: each batch
// entry of the indices selects from the same entry of the variable.
struct resource_gather_op {
  static constexpr std::string_view name = "ResourceGather";
  using types = type_attrs<type_attr<"dtype", all_types>, type_attr<"Tindices", index_types>>;
  static constexpr op_facts facts{.stateful = true};
  std::int64_t batch_dims = 0;
  bool validate_indices = true;
  static constexpr auto attrs = flowgraph::attrs(attr("batch_dims", &resource_gather_op::batch_dims),
                                                 attr("validate_indices", &resource_gather_op::validate_indices));

  flowgraph::shape shape(const flowgraph::shape&, const flowgraph::shape&) const { return flowgraph::shape::unknown(); }
  template <class T, class I> void operator()(cpu ctx, view<const resource> handle, index_view<I> indices, unsized<T> y) const;
  template <class T, class I> gradients_of<T, 2> gradient(out<resource> handle, out<I> indices, out<T>, out<T> dy) const {
    return {{detail::gathered_variable_gradient(dy, handle, indices, batch_dims), none}};
  }
};

// Replaces rows of a variable at the given indices.
struct resource_scatter_update_op {
  static constexpr std::string_view name = "ResourceScatterUpdate";
  using types = type_attrs<type_attr<"dtype", all_types>, type_attr<"Tindices", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  template <class T, class I> void operator()(cpu ctx, variable_handle<T> v, index_view<I> indices, view<const T> updates) const;
};

// Adds updates to rows of a variable at the given indices.
struct resource_scatter_add_op {
  static constexpr std::string_view name = "ResourceScatterAdd";
  using types = type_attrs<type_attr<"dtype", numbers>, type_attr<"Tindices", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  template <class T, class I> void operator()(cpu ctx, variable_handle<T> v, index_view<I> indices, view<const T> updates) const;
};

// Subtracts updates from rows of a variable at the given indices.
struct resource_scatter_sub_op {
  static constexpr std::string_view name = "ResourceScatterSub";
  using types = type_attrs<type_attr<"dtype", numbers>, type_attr<"Tindices", index_types>>;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  template <class T, class I> void operator()(cpu ctx, variable_handle<T> v, index_view<I> indices, view<const T> updates) const;
};

using resource_variable_ops = type_list<var_handle_op, read_variable_op, var_is_initialized_op, assign_variable_op,
                                        assign_add_variable_op, assign_sub_variable_op, resource_gather_op,
                                        resource_scatter_update_op, resource_scatter_add_op, resource_scatter_sub_op>;

template <class T, class I>
any_grad detail::gathered_variable_gradient(const out<T>& dy, const out<resource>& handle, const out<I>& indices,
                                            std::int64_t batch_dims) {
  const out<T> whole = apply_as<T>({}, read_variable_op{}, handle);
  const auto axis = constant_beside(whole, tensor<std::int32_t>(static_cast<std::int32_t>(batch_dims)));
  return gather_gradient(dy, whole, indices, axis, batch_dims);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/state/detail/resource_variable.hpp>
#endif
