#pragma once
// Variables: tensors that outlive a run and are accessed through reference edges, and the ops that assign and change them.
//
//     auto w = g.variable("w", fg::glorot_uniform<float>({784, 10}));
//     auto steps = g.variable("steps", fg::tensor<std::int64_t>(0));
//     auto next = fg::assign_add(steps, g.constant<std::int64_t>(1));
//     s.initialize();
//
// docs/decisions/variables.md describes which nodes may write to a variable, and when.

#include <flowgraph/graph/body_scope.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/random/initializer.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns a reference to a variable in the session's container. An op that reads the edge as a tensor gets the variable's value.
struct variable_v2_op {
  static constexpr std::string_view name = "VariableV2";
  using types = type_attrs<type_attr<"dtype", all_types>>;
  static constexpr op_facts facts{
      .not_differentiable = true, .stateful = true, .engine = {.of_variable = variable_role::reference}};
  flowgraph::shape declared = flowgraph::shape::unknown();
  std::string container = {}, shared_name = {};
  static constexpr auto attrs =
      flowgraph::attrs(required("shape", &variable_v2_op::declared), attr("container", &variable_v2_op::container),
                       attr("shared_name", &variable_v2_op::shared_name));

  flowgraph::shape shape() const { return declared; }
  template <class T> void operator()(cpu ctx, reference_out<T> y) const;
};

// Returns a reference to a variable in the session's container. This op is the predecessor of VariableV2; a scalar shape may also
// mean that the shape is unknown.
struct variable_op : variable_v2_op {
  static constexpr std::string_view name = "Variable";

  flowgraph::shape shape() const { return declared.rank == 0 ? flowgraph::shape::unknown() : declared; }
};

// Returns whether a variable has a value.
struct is_variable_initialized_op {
  static constexpr std::string_view name = "IsVariableInitialized";
  using types = type_attrs<type_attr<"dtype", all_types>>;
  static constexpr auto host_outputs = flowgraph::host_outputs(0);
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};

  flowgraph::shape shape(const flowgraph::shape&) const { return {}; }
  template <class T> void operator()(cpu, reference_in<T> ref, view<bool> y) const;
};

// Assigns a value to a variable. The value must have the variable's shape unless `validate_shape` is false.
struct assign_op {
  static constexpr std::string_view name = "Assign";
  using types = all_types;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true, .engine = {.of_variable = variable_role::assign}};
  bool validate_shape = true;
  bool use_locking = true;
  static constexpr auto attrs =
      flowgraph::attrs(attr("validate_shape", &assign_op::validate_shape), attr("use_locking", &assign_op::use_locking));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& ref, const flowgraph::shape& value) const;
  template <class T> void operator()(cpu ctx, reference<T> ref, view<const T> value, reference_out<T> y) const;
};

// Adds a value to a variable.
struct assign_add_op {
  static constexpr std::string_view name = "AssignAdd";
  using types = numbers;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  bool use_locking = false;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &assign_add_op::use_locking));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& ref, const flowgraph::shape& value) const;
  template <class T> void operator()(cpu ctx, reference<T> ref, view<const T> value, reference_out<T> y) const;
};

// Subtracts a value from a variable.
struct assign_sub_op {
  static constexpr std::string_view name = "AssignSub";
  using types = numbers;
  static constexpr op_facts facts{.not_differentiable = true, .stateful = true};
  bool use_locking = false;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &assign_sub_op::use_locking));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& ref, const flowgraph::shape& value) const;
  template <class T> void operator()(cpu ctx, reference<T> ref, view<const T> value, reference_out<T> y) const;
};

// Returns the variable's reference edge, through which other nodes read the new value.
template <class T> out<T> assign(const variable<T>& v, const std::type_identity_t<out<T>>& value, site s = {}) {
  return apply(assign_op{}, v, value, s);
}
template <class T> out<T> assign_add(const variable<T>& v, const std::type_identity_t<out<T>>& value, site s = {}) {
  return apply(assign_add_op{}, v, value, s);
}
template <class T> out<T> assign_sub(const variable<T>& v, const std::type_identity_t<out<T>>& value, site s = {}) {
  return apply(assign_sub_op{}, v, value, s);
}
template <class T> out<bool> is_initialized(const variable<T>& v, site s = {}) {
  return apply(is_variable_initialized_op{}, v, s);
}

namespace detail {

// While an object of this type exists, new nodes belong to `owner`: their names begin with the owner's name, they get no control
// inputs from open control scopes, and they are outside all loops and branches.
class owned_nodes {
public:
  explicit owned_nodes(const node& owner, std::string_view part = {});
  ~owned_nodes();
  owned_nodes(const owned_nodes&) = delete;
  owned_nodes& operator=(const owned_nodes&) = delete;

private:
  graph_state* state_;
  open_body outside_;
};
// While an object of this type exists, new nodes get no control inputs from open control scopes.
class unordered_nodes {
public:
  explicit unordered_nodes(graph_state& state);
  ~unordered_nodes();
  unordered_nodes(const unordered_nodes&) = delete;
  unordered_nodes& operator=(const unordered_nodes&) = delete;

private:
  graph_state* state_;
  open_body outside_;
};

}  // namespace detail

template <class T>
variable<T> graph::variable(std::string_view name, const initializer<T>& initial, const variable_options& options, site s) {
  flowgraph::variable<T> result;
  {
    const detail::unordered_nodes free(state());
    static_cast<out<T>&>(result) = apply_in<T>(*this, variable_v2_op{initial.shape, {}, {}}, {name, s.location});
  }
  if (result.source->is_poison()) return result;
  out<T> value;
  {
    const detail::owned_nodes initializers(*result.source, "Initializer");
    value = initial.build(*this, initial, {{}, s.location});
  }
  const detail::owned_nodes parts(*result.source);
  result.initializer = apply(assign_op{}, result, value, site{"Assign", s.location}).source;
  add_initializer(result.initializer);
  add_variable(result, options.trainable);
  return result;
}

template <class T> variable<T> graph::variable(std::string_view name, const initializer<T>& initial, site s) {
  return variable(name, initial, variable_options(), s);
}
template <class T> variable<T> graph::variable(std::string_view name, const tensor<T>& initial, site s) {
  return variable(name, initial_tensor(initial), variable_options(), s);
}
template <class T>
variable<T> graph::variable(std::string_view name, const tensor<T>& initial, const variable_options& options, site s) {
  return variable(name, initial_tensor(initial), options, s);
}

using variable_ops = type_list<variable_v2_op, variable_op, is_variable_initialized_op, assign_op, assign_add_op, assign_sub_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/state/detail/variable.hpp>
#endif
