#pragma once
// Gradient descent and Adagrad with a proximal step: after the update, l1 and l2 move the variable toward zero.

#include <flowgraph/ops/training/update.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class T> struct proximal_gradient_descent_step;
template <class T> struct proximal_adagrad_step;

}  // namespace detail

// The step of gradient descent with l1 and l2: prox = var - alpha * grad; var = sign(prox) * max(|prox| - alpha * l1, 0) / (1 +
// alpha * l2)
template <class Form>
struct proximal_gradient_descent_update : detail::update<proximal_gradient_descent_update<Form>, Form, 1, 3> {
  static constexpr std::string_view name = Form::template name<"ProximalGradientDescent">;
  using types = typename Form::template types<type_list<float, double>>;
  static constexpr const char* scalars[]{"alpha", "l1", "l2"};
  template <class T> using step = detail::proximal_gradient_descent_step<T>;
};
using apply_proximal_gradient_descent_op = proximal_gradient_descent_update<dense_form>;
using sparse_apply_proximal_gradient_descent_op = proximal_gradient_descent_update<sparse_form>;
using resource_apply_proximal_gradient_descent_op = proximal_gradient_descent_update<resource_form>;
using resource_sparse_apply_proximal_gradient_descent_op = proximal_gradient_descent_update<resource_sparse_form>;

// The step of ProximalGradientDescent with Adagrad's rate for each element: accum += grad^2, and the rate is lr / sqrt(accum).
template <class Form> struct proximal_adagrad_update : detail::update<proximal_adagrad_update<Form>, Form, 2, 3> {
  static constexpr std::string_view name = Form::template name<"ProximalAdagrad">;
  using types = typename Form::template types<type_list<float, double>>;
  static constexpr const char* scalars[]{"lr", "l1", "l2"};
  template <class T> using step = detail::proximal_adagrad_step<T>;
};
using apply_proximal_adagrad_op = proximal_adagrad_update<dense_form>;
using sparse_apply_proximal_adagrad_op = proximal_adagrad_update<sparse_form>;
using resource_apply_proximal_adagrad_op = proximal_adagrad_update<resource_form>;
using resource_sparse_apply_proximal_adagrad_op = proximal_adagrad_update<resource_sparse_form>;

using proximal_ops = joined<detail::all_forms<proximal_gradient_descent_update>, detail::all_forms<proximal_adagrad_update>>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/training/detail/proximal.hpp>
#endif
