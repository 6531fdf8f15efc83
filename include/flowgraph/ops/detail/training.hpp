#pragma once

#include <flowgraph/ops/detail/scatter_rows.hpp>
#include <flowgraph/ops/detail/training_step.hpp>
#include <flowgraph/ops/training/training.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// TensorFlow's codes: a reference without a value is not ready, a handle without one is broken.
template <class T>
bool is_trainable(cpu ctx, const reference<T>& v, std::size_t input) {
  return check_variable(ctx, v.state(), dtype_of<T>, input, error_code::failed_precondition);
}
template <class T>
bool is_trainable(cpu ctx, const variable_handle<T>& v, std::size_t input) {
  return check_variable(ctx, v.state(), dtype_of<T>, input, error_code::internal);
}

struct named_scalar {
  std::string_view name;
  const shape* found;
};
// Variables of one shape, and scalars where there must be: says what differs.
bool check_training_shapes(cpu ctx, std::initializer_list<const shape*> variables, std::initializer_list<named_scalar> scalars);
bool check_gradient_shape(cpu ctx, const shape& variable, const shape& gradient);
bool check_sparse_gradient(cpu ctx, const shape& variable, const shape& gradient, const shape& indices);

template <class Access, class T>
void descend(cpu ctx, const Access& var, view<const T> alpha, view<const T> delta) {
  if (!is_trainable(ctx, var, 0) || !check_training_shapes(ctx, {&var.shape()}, {{"alpha", &alpha.shape()}})) return;
  if (!check_gradient_shape(ctx, var.shape(), delta.shape())) return;
  const view<T> w = var.update();
  if (ctx.failed()) return;
  ctx.parallel_ranges(static_cast<std::int64_t>(w.size()), elements_per_block, [&](std::int64_t first, std::int64_t last) {
    sgd_step(w.data() + first, delta.data() + first, alpha.scalar(), last - first);
  });
}

template <class Access, class T>
void move_with_momentum(cpu ctx, const Access& var, const Access& accum, view<const T> lr, view<const T> grad, view<const T> momentum,
                        bool nesterov) {
  if (!is_trainable(ctx, var, 0) || !is_trainable(ctx, accum, 1)) return;
  if (!check_training_shapes(ctx, {&var.shape(), &accum.shape()}, {{"lr", &lr.shape()}, {"momentum", &momentum.shape()}})) return;
  if (!check_gradient_shape(ctx, var.shape(), grad.shape())) return;
  const view<T> w = var.update(), m = accum.update();
  if (ctx.failed()) return;
  ctx.parallel_ranges(static_cast<std::int64_t>(w.size()), elements_per_block, [&](std::int64_t first, std::int64_t last) {
    momentum_step(w.data() + first, m.data() + first, grad.data() + first, lr.scalar(), momentum.scalar(), nesterov, last - first);
  });
}

template <class Access, class T, class I>
void move_rows_with_momentum(cpu ctx, const Access& var, const Access& accum, view<const T> lr, view<const T> grad, view<const I> indices,
                             view<const T> momentum, bool nesterov) {
  if (!is_trainable(ctx, var, 0) || !is_trainable(ctx, accum, 1)) return;
  if (!check_training_shapes(ctx, {&var.shape(), &accum.shape()}, {{"lr", &lr.shape()}, {"momentum", &momentum.shape()}})) return;
  if (!check_sparse_gradient(ctx, var.shape(), grad.shape(), indices.shape()) || !check_rows(ctx, indices, var.shape()[0])) return;
  const view<T> w = var.update(), m = accum.update();
  if (ctx.failed()) return;
  for_each_index(ctx, indices, product_of(var.shape(), 1, var.shape().rank), [&](std::int64_t to, std::int64_t from, std::int64_t n) {
    momentum_step(w.data() + to, m.data() + to, grad.data() + from, lr.scalar(), momentum.scalar(), nesterov, n);
  });
}

template <class Access, class T>
void move_with_adam(cpu ctx, const Access& var, const Access& first_moment, const Access& second_moment, view<const T> beta1_power,
                    view<const T> beta2_power, view<const T> lr, view<const T> beta1, view<const T> beta2, view<const T> epsilon,
                    view<const T> grad, bool nesterov) {
  if (!is_trainable(ctx, var, 0) || !is_trainable(ctx, first_moment, 1) || !is_trainable(ctx, second_moment, 2)) return;
  if (!check_training_shapes(ctx, {&var.shape(), &first_moment.shape(), &second_moment.shape()},
                             {{"beta1_power", &beta1_power.shape()}, {"beta2_power", &beta2_power.shape()}, {"lr", &lr.shape()},
                              {"beta1", &beta1.shape()}, {"beta2", &beta2.shape()}, {"epsilon", &epsilon.shape()}}))
    return;
  if (!check_gradient_shape(ctx, var.shape(), grad.shape())) return;
  const view<T> w = var.update(), m = first_moment.update(), v = second_moment.update();
  if (ctx.failed()) return;
  const auto step = adam_step<T>(lr.scalar(), beta1_power.scalar(), beta2_power.scalar(), beta1.scalar(), beta2.scalar(), epsilon.scalar());
  ctx.parallel_ranges(static_cast<std::int64_t>(w.size()), elements_per_block, [&](std::int64_t first, std::int64_t last) {
    step(w.data() + first, m.data() + first, v.data() + first, grad.data() + first, nesterov, last - first);
  });
}

}  // namespace detail

template <class T>
void apply_gradient_descent_op::operator()(cpu ctx, reference<T> var, view<const T> alpha, view<const T> delta, reference_out<T>) const {
  detail::descend(ctx, var, alpha, delta);
}
template <class T>
void resource_apply_gradient_descent_op::operator()(cpu ctx, variable_handle<T> var, view<const T> alpha, view<const T> delta) const {
  detail::descend(ctx, var, alpha, delta);
}

template <class T>
void apply_momentum_op::operator()(cpu ctx, reference<T> var, reference<T> accum, view<const T> lr, view<const T> grad,
                                   view<const T> momentum, reference_out<T>) const {
  detail::move_with_momentum(ctx, var, accum, lr, grad, momentum, use_nesterov);
}
template <class T>
void resource_apply_momentum_op::operator()(cpu ctx, variable_handle<T> var, variable_handle<T> accum, view<const T> lr, view<const T> grad,
                                            view<const T> momentum) const {
  detail::move_with_momentum(ctx, var, accum, lr, grad, momentum, use_nesterov);
}

template <class T, class I>
void sparse_apply_momentum_op::operator()(cpu ctx, reference<T> var, reference<T> accum, view<const T> lr, view<const T> grad,
                                          view<const I> indices, view<const T> momentum, reference_out<T>) const {
  detail::move_rows_with_momentum(ctx, var, accum, lr, grad, indices, momentum, use_nesterov);
}
template <class T, class I>
void resource_sparse_apply_momentum_op::operator()(cpu ctx, variable_handle<T> var, variable_handle<T> accum, view<const T> lr,
                                                   view<const T> grad, view<const I> indices, view<const T> momentum) const {
  detail::move_rows_with_momentum(ctx, var, accum, lr, grad, indices, momentum, use_nesterov);
}

template <class T>
void apply_adam_op::operator()(cpu ctx, reference<T> var, reference<T> m, reference<T> v, view<const T> beta1_power,
                               view<const T> beta2_power, view<const T> lr, view<const T> beta1, view<const T> beta2, view<const T> epsilon,
                               view<const T> grad, reference_out<T>) const {
  detail::move_with_adam(ctx, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, use_nesterov);
}
template <class T>
void resource_apply_adam_op::operator()(cpu ctx, variable_handle<T> var, variable_handle<T> m, variable_handle<T> v,
                                        view<const T> beta1_power, view<const T> beta2_power, view<const T> lr, view<const T> beta1,
                                        view<const T> beta2, view<const T> epsilon, view<const T> grad) const {
  detail::move_with_adam(ctx, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, use_nesterov);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/impl/training.hpp>
#endif
