#pragma once
// The updates of training: one op takes a gradient and changes a variable, with what the method remembers, in one pass over memory.
//
// Shapes are checked before anything is written. fg::sgd, fg::momentum and fg::adam (train/optimizer.hpp) add them to a graph.

#include <flowgraph/ops/state/variable.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The shape of an updated variable: that of the gradient, if it fits. Rates and the like are scalars.
flowgraph::shape updated_shape(shape_context& c, std::initializer_list<const flowgraph::shape*> variables, const flowgraph::shape& gradient,
                               std::initializer_list<const flowgraph::shape*> scalars);
flowgraph::shape sparsely_updated_shape(shape_context& c, std::initializer_list<const flowgraph::shape*> variables,
                                        const flowgraph::shape& gradient, const flowgraph::shape& indices,
                                        std::initializer_list<const flowgraph::shape*> scalars);

}  // namespace detail

// var -= alpha * delta
struct apply_gradient_descent_op {
  static constexpr std::string_view name = "ApplyGradientDescent";
  using types = differentiable_numbers;
  static constexpr bool not_differentiable = true;
  static constexpr bool stateful = true;
  bool use_locking = false;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &apply_gradient_descent_op::use_locking));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& var, const flowgraph::shape& alpha, const flowgraph::shape& delta) const {
    return detail::updated_shape(c, {&var}, delta, {&alpha});
  }
  template <class T> void operator()(cpu ctx, reference<T> var, view<const T> alpha, view<const T> delta, reference_out<T> y) const;
};

// accum = momentum * accum + grad; var -= lr * accum, or with Nesterov's look ahead lr * (grad + momentum * accum)
struct apply_momentum_op {
  static constexpr std::string_view name = "ApplyMomentum";
  using types = differentiable_numbers;
  static constexpr bool not_differentiable = true;
  static constexpr bool stateful = true;
  bool use_locking = false, use_nesterov = false;
  static constexpr auto attrs =
      flowgraph::attrs(attr("use_locking", &apply_momentum_op::use_locking), attr("use_nesterov", &apply_momentum_op::use_nesterov));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& var, const flowgraph::shape& accum, const flowgraph::shape& lr,
                         const flowgraph::shape& grad, const flowgraph::shape& momentum) const {
    return detail::updated_shape(c, {&var, &accum}, grad, {&lr, &momentum});
  }
  template <class T>
  void operator()(cpu ctx, reference<T> var, reference<T> accum, view<const T> lr, view<const T> grad, view<const T> momentum,
                  reference_out<T> y) const;
};

// The same for the rows that indices name, one after the other.
struct sparse_apply_momentum_op {
  static constexpr std::string_view name = "SparseApplyMomentum";
  using types = type_attrs<type_attr<"T", differentiable_numbers>, type_attr<"Tindices", index_types>>;
  static constexpr bool not_differentiable = true;
  static constexpr bool stateful = true;
  bool use_locking = false, use_nesterov = false;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &sparse_apply_momentum_op::use_locking),
                                                 attr("use_nesterov", &sparse_apply_momentum_op::use_nesterov));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& var, const flowgraph::shape& accum, const flowgraph::shape& lr,
                         const flowgraph::shape& grad, const flowgraph::shape& indices, const flowgraph::shape& momentum) const {
    return detail::sparsely_updated_shape(c, {&var, &accum}, grad, indices, {&lr, &momentum});
  }
  template <class T, class I>
  void operator()(cpu ctx, reference<T> var, reference<T> accum, view<const T> lr, view<const T> grad, view<const I> indices,
                  view<const T> momentum, reference_out<T> y) const;
};

// m += (1 - beta1) * (grad - m); v += (1 - beta2) * (grad^2 - v)
// var -= lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon)
struct apply_adam_op {
  static constexpr std::string_view name = "ApplyAdam";
  using types = differentiable_numbers;
  static constexpr bool not_differentiable = true;
  static constexpr bool stateful = true;
  bool use_locking = false, use_nesterov = false;
  static constexpr auto attrs =
      flowgraph::attrs(attr("use_locking", &apply_adam_op::use_locking), attr("use_nesterov", &apply_adam_op::use_nesterov));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& var, const flowgraph::shape& m, const flowgraph::shape& v,
                         const flowgraph::shape& beta1_power, const flowgraph::shape& beta2_power, const flowgraph::shape& lr,
                         const flowgraph::shape& beta1, const flowgraph::shape& beta2, const flowgraph::shape& epsilon,
                         const flowgraph::shape& grad) const {
    return detail::updated_shape(c, {&var, &m, &v}, grad, {&beta1_power, &beta2_power, &lr, &beta1, &beta2, &epsilon});
  }
  template <class T>
  void operator()(cpu ctx, reference<T> var, reference<T> m, reference<T> v, view<const T> beta1_power, view<const T> beta2_power,
                  view<const T> lr, view<const T> beta1, view<const T> beta2, view<const T> epsilon, view<const T> grad,
                  reference_out<T> y) const;
};

// ---- the same through handles

// ApplyGradientDescent through a handle.
struct resource_apply_gradient_descent_op {
  static constexpr std::string_view name = "ResourceApplyGradientDescent";
  using types = differentiable_numbers;
  static constexpr bool not_differentiable = true;
  static constexpr bool stateful = true;
  bool use_locking = false;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &resource_apply_gradient_descent_op::use_locking));

  template <class T> void operator()(cpu ctx, variable_handle<T> var, view<const T> alpha, view<const T> delta) const;
};

// ApplyMomentum through handles.
struct resource_apply_momentum_op {
  static constexpr std::string_view name = "ResourceApplyMomentum";
  using types = differentiable_numbers;
  static constexpr bool not_differentiable = true;
  static constexpr bool stateful = true;
  bool use_locking = false, use_nesterov = false;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &resource_apply_momentum_op::use_locking),
                                                 attr("use_nesterov", &resource_apply_momentum_op::use_nesterov));

  template <class T>
  void operator()(cpu ctx, variable_handle<T> var, variable_handle<T> accum, view<const T> lr, view<const T> grad,
                  view<const T> momentum) const;
};

// SparseApplyMomentum through handles.
struct resource_sparse_apply_momentum_op {
  static constexpr std::string_view name = "ResourceSparseApplyMomentum";
  using types = type_attrs<type_attr<"T", differentiable_numbers>, type_attr<"Tindices", index_types>>;
  static constexpr bool not_differentiable = true;
  static constexpr bool stateful = true;
  bool use_locking = false, use_nesterov = false;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &resource_sparse_apply_momentum_op::use_locking),
                                                 attr("use_nesterov", &resource_sparse_apply_momentum_op::use_nesterov));

  template <class T, class I>
  void operator()(cpu ctx, variable_handle<T> var, variable_handle<T> accum, view<const T> lr, view<const T> grad, view<const I> indices,
                  view<const T> momentum) const;
};

// ApplyAdam through handles.
struct resource_apply_adam_op {
  static constexpr std::string_view name = "ResourceApplyAdam";
  using types = differentiable_numbers;
  static constexpr bool not_differentiable = true;
  static constexpr bool stateful = true;
  bool use_locking = false, use_nesterov = false;
  static constexpr auto attrs = flowgraph::attrs(attr("use_locking", &resource_apply_adam_op::use_locking),
                                                 attr("use_nesterov", &resource_apply_adam_op::use_nesterov));

  template <class T>
  void operator()(cpu ctx, variable_handle<T> var, variable_handle<T> m, variable_handle<T> v, view<const T> beta1_power,
                  view<const T> beta2_power, view<const T> lr, view<const T> beta1, view<const T> beta2, view<const T> epsilon,
                  view<const T> grad) const;
};

using training_ops = type_list<apply_gradient_descent_op, apply_momentum_op, sparse_apply_momentum_op, apply_adam_op,
                               resource_apply_gradient_descent_op, resource_apply_momentum_op, resource_sparse_apply_momentum_op,
                               resource_apply_adam_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/detail/training.hpp>
#endif
