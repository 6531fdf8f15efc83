#pragma once
// Trigonometric and hyperbolic functions and their inverses, for real and complex numbers.

#include <flowgraph/functors/trigonometry.hpp>
#include <flowgraph/ops/math/math.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Element-wise sine.
struct sin_op : unary_elementwise<sin_op> {
  static constexpr std::string_view name = "Sin";
  static constexpr op_facts facts{.work = work_figure(10).elements_of_output(0)};
  using types = differentiable_numbers;
  using function = functor::sin;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return dy * cos(detail::conjugated(x)); }
};

// Element-wise cosine.
struct cos_op : unary_elementwise<cos_op> {
  static constexpr std::string_view name = "Cos";
  static constexpr op_facts facts{.work = work_figure(10).elements_of_output(0)};
  using types = differentiable_numbers;
  using function = functor::cos;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return -dy * sin(detail::conjugated(x)); }
};

// Element-wise tangent.
struct tan_op : unary_elementwise<tan_op> {
  static constexpr std::string_view name = "Tan";
  using types = differentiable_numbers;
  using function = functor::tan;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const {
    return dy * square(reciprocal(cos(detail::conjugated(x))));
  }
};

// Element-wise inverse sine.
struct asin_op : unary_elementwise<asin_op> {
  static constexpr std::string_view name = "Asin";
  using types = differentiable_numbers;
  using function = functor::asin;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const {
    return dy * reciprocal(sqrt(T(1) - square(detail::conjugated(x))));
  }
};

// Element-wise inverse cosine.
struct acos_op : unary_elementwise<acos_op> {
  static constexpr std::string_view name = "Acos";
  using types = differentiable_numbers;
  using function = functor::acos;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const {
    return -dy * reciprocal(sqrt(T(1) - square(detail::conjugated(x))));
  }
};

// Element-wise inverse tangent.
struct atan_op : unary_elementwise<atan_op> {
  static constexpr std::string_view name = "Atan";
  using types = differentiable_numbers;
  using function = functor::atan;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const {
    return dy * reciprocal(square(detail::conjugated(x)) + T(1));
  }
};

// Element-wise hyperbolic sine.
struct sinh_op : unary_elementwise<sinh_op> {
  static constexpr std::string_view name = "Sinh";
  using types = differentiable_numbers;
  using function = functor::sinh;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return dy * cosh(detail::conjugated(x)); }
};

// Element-wise hyperbolic cosine.
struct cosh_op : unary_elementwise<cosh_op> {
  static constexpr std::string_view name = "Cosh";
  using types = differentiable_numbers;
  using function = functor::cosh;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return dy * sinh(detail::conjugated(x)); }
};

// Element-wise inverse hyperbolic sine.
struct asinh_op : unary_elementwise<asinh_op> {
  static constexpr std::string_view name = "Asinh";
  using types = differentiable_numbers;
  using function = functor::asinh;
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const { return dy / cosh(detail::conjugated(y)); }
};

// Element-wise inverse hyperbolic cosine.
struct acosh_op : unary_elementwise<acosh_op> {
  static constexpr std::string_view name = "Acosh";
  using types = differentiable_numbers;
  using function = functor::acosh;
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const { return dy / sinh(detail::conjugated(y)); }
};

// Element-wise inverse hyperbolic tangent.
struct atanh_op : unary_elementwise<atanh_op> {
  static constexpr std::string_view name = "Atanh";
  using types = differentiable_numbers;
  using function = functor::atanh;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const {
    return dy * reciprocal(T(1) - square(detail::conjugated(x)));
  }
};

// Angle between the first axis and the direction of the point (x, y), in [-pi, pi]. The inputs are y and x, in this order.
struct atan2_op : binary_elementwise<atan2_op> {
  static constexpr std::string_view name = "Atan2";
  using types = floating;
  using function = functor::atan2;
  template <class T> gradients_of<T, 2> gradient(out<T> y, out<T> x, out<T>, out<T> dz) const {
    const out<T> scaled = dz / (square(x) + square(y));
    return detail::unbroadcast(y, x, x * scaled, -y * scaled);
  }
};

template <class T> out<T> sin(out<T> x, site s = {}) { return apply(sin_op{}, x, s); }
template <class T> out<T> cos(out<T> x, site s = {}) { return apply(cos_op{}, x, s); }
template <class T> out<T> tan(out<T> x, site s = {}) { return apply(tan_op{}, x, s); }
template <class T> out<T> asin(out<T> x, site s = {}) { return apply(asin_op{}, x, s); }
template <class T> out<T> acos(out<T> x, site s = {}) { return apply(acos_op{}, x, s); }
template <class T> out<T> atan(out<T> x, site s = {}) { return apply(atan_op{}, x, s); }
template <class T> out<T> sinh(out<T> x, site s = {}) { return apply(sinh_op{}, x, s); }
template <class T> out<T> cosh(out<T> x, site s = {}) { return apply(cosh_op{}, x, s); }
template <class T> out<T> asinh(out<T> x, site s = {}) { return apply(asinh_op{}, x, s); }
template <class T> out<T> acosh(out<T> x, site s = {}) { return apply(acosh_op{}, x, s); }
template <class T> out<T> atanh(out<T> x, site s = {}) { return apply(atanh_op{}, x, s); }
// One operand may be a scalar.
template <class T> out<T> atan2(out<T> y, std::type_identity_t<operand<T>> x, site s = {}) {
  return detail::apply_operands(atan2_op{}, {y, s.location}, x, s);
}

using trigonometry_ops =
    type_list<sin_op, cos_op, tan_op, asin_op, acos_op, atan_op, sinh_op, cosh_op, asinh_op, acosh_op, atanh_op, atan2_op>;

}  // namespace flowgraph
