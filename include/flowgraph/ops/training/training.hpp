#pragma once
// The updates of gradient descent, momentum and Adam. fg::sgd, fg::momentum and fg::adam of train/optimizer.hpp use them.

#include <flowgraph/ops/training/update.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class T> struct gradient_descent_step;
template <class T> struct momentum_step;
template <class T> struct adam_step;

}  // namespace detail

// The step of gradient descent: var -= alpha * delta
template <class Form> struct gradient_descent_update : detail::update<gradient_descent_update<Form>, Form, 1, 1> {
  static constexpr std::string_view name = Form::template name<"GradientDescent">;
  using types = typename Form::template types<differentiable_numbers>;
  static constexpr const char* scalars[]{"alpha"};
  template <class T> using step = detail::gradient_descent_step<T>;
};
using apply_gradient_descent_op = gradient_descent_update<dense_form>;
using resource_apply_gradient_descent_op = gradient_descent_update<resource_form>;

// The step of gradient descent with momentum: accum = momentum * accum + grad; var -= lr * accum. With Nesterov momentum: var -=
// lr * (grad + momentum * accum)
template <class Form> struct momentum_update : detail::update<momentum_update<Form>, Form, 2, 1, 1> {
  static constexpr std::string_view name = Form::template name<"Momentum">;
  using types = typename Form::template types<differentiable_numbers>;
  static constexpr const char* scalars[]{"lr", "momentum"};
  template <class T> using step = detail::momentum_step<T>;
  bool use_nesterov = false;
  static constexpr auto attrs =
      flowgraph::attrs(attr("use_locking", &momentum_update::use_locking), attr("use_nesterov", &momentum_update::use_nesterov));
};
using apply_momentum_op = momentum_update<dense_form>;
using sparse_apply_momentum_op = momentum_update<sparse_form>;
using resource_apply_momentum_op = momentum_update<resource_form>;
using resource_sparse_apply_momentum_op = momentum_update<resource_sparse_form>;

// Adam's step: m += (1 - beta1) * (grad - m); v += (1 - beta2) * (grad^2 - v); var -= lr * sqrt(1 - beta2_power) / (1 -
// beta1_power) * m / (sqrt(v) + epsilon)
template <class Form> struct adam_update : detail::update<adam_update<Form>, Form, 3, 6> {
  static constexpr std::string_view name = Form::template name<"Adam">;
  using types = typename Form::template types<differentiable_numbers>;
  static constexpr const char* scalars[]{"beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon"};
  template <class T> using step = detail::adam_step<T>;
  bool use_nesterov = false;
  static constexpr auto attrs =
      flowgraph::attrs(attr("use_locking", &adam_update::use_locking), attr("use_nesterov", &adam_update::use_nesterov));
};
using apply_adam_op = adam_update<dense_form>;
using resource_apply_adam_op = adam_update<resource_form>;

using training_ops =
    joined<detail::dense_forms<gradient_descent_update>, detail::all_forms<momentum_update>, detail::dense_forms<adam_update>>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/training/detail/training.hpp>
#endif
