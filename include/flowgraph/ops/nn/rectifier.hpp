#pragma once
// Less common activation functions: rectifiers with a slope, a limit or a curve, Softsign, and their gradients.

#include <flowgraph/functors/activation.hpp>
#include <flowgraph/functors/gradients.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/math/math.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// The gradient of LeakyRelu, computed from the input of LeakyRelu.
struct leaky_relu_grad_op {
  static constexpr std::string_view name = "LeakyReluGrad";
  using types = floating;
  static constexpr op_facts facts{.in_place = true, .elementwise = true};
  float alpha = 0.2f;
  static constexpr auto attrs = flowgraph::attrs(attr("alpha", &leaky_relu_grad_op::alpha));

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& dy, const flowgraph::shape& x) const {
    return detail::paired_shape(c, dy, x);
  }
  template <class T> void operator()(cpu ctx, view<const T> dy, view<const T> x, view<T> dx) const;
  template <class T> gradients_of<T, 2> gradient(out<T>, out<T> x, out<T>, out<T> ddx) const {
    return {{apply(*this, ddx, x), zeros_like(x)}};
  }
};

// Relu with a slope for negative numbers: x if x is positive, otherwise alpha x.
struct leaky_relu_op {
  static constexpr std::string_view name = "LeakyRelu";
  using types = floating;
  static constexpr op_facts facts{.in_place = true, .elementwise = true};
  float alpha = 0.2f;
  static constexpr auto attrs = flowgraph::attrs(attr("alpha", &leaky_relu_op::alpha));

  flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return apply(leaky_relu_grad_op{alpha}, dy, x); }
};

// The gradient of Relu6, computed from the output of Relu6.
struct relu6_grad_op : paired_elementwise<relu6_grad_op> {
  static constexpr std::string_view name = "Relu6Grad";
  using types = real_numbers;
  using function = functor::relu6_grad;
  template <class T> gradients_of<T, 2> gradient(out<T>, out<T> y, out<T>, out<T> ddx) const {
    return {{apply(relu6_grad_op{}, ddx, y), zeros_like(y)}};
  }
};

// Limits x to [0, 6]. The gradient is computed from the output.
struct relu6_op : unary_elementwise<relu6_op> {
  static constexpr std::string_view name = "Relu6";
  using types = real_numbers;
  using function = functor::relu6;
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const { return apply(relu6_grad_op{}, dy, y); }
};

// The gradient of Selu, computed from the output of Selu.
struct selu_grad_op : paired_elementwise<selu_grad_op> {
  static constexpr std::string_view name = "SeluGrad";
  using types = floating;
  using function = functor::selu_grad;
  template <class T> gradients_of<T, 2> gradient(out<T> dy, out<T> y, out<T>, out<T> ddx) const {
    return {{apply(selu_grad_op{}, ddx, y), select(less(y, T(0)), ddx * dy, detail::scalar_beside(y, T(0)))}};
  }
};

// Scaled exponential linear unit: Elu with a factor and a scale that keep the mean at 0 and the variance at 1 from layer to
// layer.
struct selu_op : unary_elementwise<selu_op> {
  static constexpr std::string_view name = "Selu";
  using types = floating;
  using function = functor::selu;
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const { return apply(selu_grad_op{}, dy, y); }
};

// The gradient of Softsign, computed from the input of Softsign.
struct softsign_grad_op : paired_elementwise<softsign_grad_op> {
  static constexpr std::string_view name = "SoftsignGrad";
  using types = floating;
  using function = functor::softsign_grad;
  static constexpr op_facts facts{.not_differentiable = true};
};

// x / (|x| + 1) for each element.
struct softsign_op : unary_elementwise<softsign_op> {
  static constexpr std::string_view name = "Softsign";
  using types = floating;
  using function = functor::softsign;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return apply(softsign_grad_op{}, dy, x); }
};

template <class T> out<T> leaky_relu(const out<T>& x, float alpha = 0.2f, site s = {}) {
  return apply(leaky_relu_op{alpha}, x, s);
}
template <class T> out<T> relu6(const out<T>& x, site s = {}) { return apply(relu6_op{}, x, s); }
template <class T> out<T> selu(const out<T>& x, site s = {}) { return apply(selu_op{}, x, s); }
template <class T> out<T> softsign(const out<T>& x, site s = {}) { return apply(softsign_op{}, x, s); }

using rectifier_ops =
    type_list<leaky_relu_op, leaky_relu_grad_op, relu6_op, relu6_grad_op, selu_op, selu_grad_op, softsign_op, softsign_grad_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/nn/detail/rectifier.hpp>
#endif
