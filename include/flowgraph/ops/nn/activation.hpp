#pragma once
// Activation functions and their gradients.

#include <flowgraph/functors/activation.hpp>
#include <flowgraph/functors/gradients.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/shared/elementwise.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The gradient of Tanh, dy (1 - y^2), computed from the output of Tanh.
struct tanh_grad_op : paired_elementwise<tanh_grad_op> {
  static constexpr std::string_view name = "TanhGrad";
  using types = differentiable_numbers;
  using function = functor::tanh_grad;
  template <class T> gradients_of<T, 2> gradient(out<T> y, out<T> dy, out<T>, out<T> ddx) const {
    const out<T> a = detail::conjugated(y), b = detail::conjugated(dy);
    return {{ddx * T(-2) * b * a, apply(tanh_grad_op{}, a, ddx)}};
  }
};

// Hyperbolic tangent of each element.
struct tanh_op : unary_elementwise<tanh_op> {
  static constexpr std::string_view name = "Tanh";
  static constexpr op_facts facts{.work = work_figure(10).elements_of_output(0)};
  using types = differentiable_numbers;
  using function = functor::tanh;
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const {
    return apply(tanh_grad_op{}, detail::conjugated(y), dy);
  }
};

// The gradient of Sigmoid, dy y (1 - y), computed from the output of Sigmoid.
struct sigmoid_grad_op : paired_elementwise<sigmoid_grad_op> {
  static constexpr std::string_view name = "SigmoidGrad";
  using types = differentiable_numbers;
  using function = functor::sigmoid_grad;
  template <class T> gradients_of<T, 2> gradient(out<T> y, out<T> dy, out<T>, out<T> ddx) const {
    const out<T> a = detail::conjugated(y), b = ddx * detail::conjugated(dy);
    return {{b - b * T(2) * a, apply(sigmoid_grad_op{}, a, ddx)}};
  }
};

// Logistic function of each element, 1 / (1 + exp(-x)).
struct sigmoid_op : unary_elementwise<sigmoid_op> {
  static constexpr std::string_view name = "Sigmoid";
  static constexpr op_facts facts{.work = work_figure(10).elements_of_output(0)};
  using types = differentiable_numbers;
  using function = functor::sigmoid;
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const {
    return apply(sigmoid_grad_op{}, detail::conjugated(y), dy);
  }
};

// The gradient of Relu: dy if the output of Relu is positive, otherwise zero.
struct relu_grad_op : paired_elementwise<relu_grad_op> {
  static constexpr std::string_view name = "ReluGrad";
  using types = real_numbers;
  using function = functor::relu_grad;
  template <class T> gradients_of<T, 2> gradient(out<T>, out<T> y, out<T>, out<T> ddx) const {
    return {{apply(relu_grad_op{}, ddx, y), none}};
  }
};

// Rectified linear unit: max(x, 0) for each element. NaN remains NaN, as in TensorFlow. The gradient uses the output, so the
// input does not have to be kept.
struct relu_op : unary_elementwise<relu_op> {
  static constexpr std::string_view name = "Relu";
  using types = real_numbers;
  using function = functor::relu;
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const { return apply(relu_grad_op{}, dy, y); }
};

// The gradient of Softplus, computed from the input of Softplus.
struct softplus_grad_op : paired_elementwise<softplus_grad_op> {
  static constexpr std::string_view name = "SoftplusGrad";
  using types = floating;
  using function = functor::softplus_grad;
  template <class T> gradients_of<T, 2> gradient(out<T> dy, out<T> x, out<T>, out<T> ddx) const {
    return {{apply(softplus_grad_op{}, ddx, x), ddx * dy / (exp(-x) + T(2) + exp(x))}};
  }
};

// Smooth form of Relu: log(1 + exp(x)).
struct softplus_op : unary_elementwise<softplus_op> {
  static constexpr std::string_view name = "Softplus";
  static constexpr op_facts facts{.work = work_figure(10).elements_of_output(0)};
  using types = floating;
  using function = functor::softplus;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return apply(softplus_grad_op{}, dy, x); }
};

// The gradient of Elu, computed from the output of Elu.
struct elu_grad_op : paired_elementwise<elu_grad_op> {
  static constexpr std::string_view name = "EluGrad";
  using types = floating;
  using function = functor::elu_grad;
  template <class T> gradients_of<T, 2> gradient(out<T> dy, out<T> y, out<T>, out<T> ddx) const {
    return {{apply(elu_grad_op{}, ddx, y), select(less(y, T(0)), ddx * dy, detail::scalar_beside(y, T(0)))}};
  }
};

// Exponential linear unit: x if x > 0, otherwise exp(x) - 1. The function is smooth; its gradient for negative x is y + 1.
struct elu_op : unary_elementwise<elu_op> {
  static constexpr std::string_view name = "Elu";
  static constexpr op_facts facts{.work = work_figure(10).elements_of_output(0)};
  using types = floating;
  using function = functor::elu;
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const { return apply(elu_grad_op{}, dy, y); }
};

// Each function contains the static_assert itself, as in apply(), so that the compiler's message names the user's call.

template <class T> out<T> tanh(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<tanh_op, out<T>>>);
  return detail::apply_deduced(s, tanh_op{}, x);
}
template <class T> out<T> sigmoid(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<sigmoid_op, out<T>>>);
  return detail::apply_deduced(s, sigmoid_op{}, x);
}
template <class T> out<T> relu(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<relu_op, out<T>>>);
  return detail::apply_deduced(s, relu_op{}, x);
}
template <class T> out<T> softplus(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<softplus_op, out<T>>>);
  return detail::apply_deduced(s, softplus_op{}, x);
}
template <class T> out<T> elu(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<elu_op, out<T>>>);
  return detail::apply_deduced(s, elu_op{}, x);
}

using activation_ops = type_list<tanh_op, tanh_grad_op, sigmoid_op, sigmoid_grad_op, relu_op, relu_grad_op, softplus_op,
                                 softplus_grad_op, elu_op, elu_grad_op>;

}  // namespace flowgraph
