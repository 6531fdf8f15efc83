#pragma once
// Powers, and products and quotients that are 0 if one operand is 0.

#include <flowgraph/functors/complex.hpp>
#include <flowgraph/functors/no_nan.hpp>
#include <flowgraph/functors/power.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/math.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Reports an error if an exponent is negative.
template <std::integral T> bool check_exponent(cpu ctx, view<const T> exponents);

// Returns 1 for elements that are not 0, and 0 for others.
template <class T> out<T> is_not_zero(const out<T>& x) { return cast<T>(not_equal(x, T(0))); }

}  // namespace detail

// Element-wise power x^y. In the gradient with respect to the exponent, the logarithm of a real base that is not positive, or of
// a complex 0, is replaced by 0.
struct pow_op : binary_elementwise<pow_op> {
  static constexpr std::string_view name = "Pow";
  static constexpr op_facts facts{.work = work_figure(20).elements_of_output(0)};
  using types = signed_numbers;
  using function = functor::pow;
  template <std::integral T> static bool check(cpu ctx, view<const T> exponents) {
    return detail::check_exponent(ctx, exponents);
  }
  template <class T> gradients_of<T, 2> gradient(out<T> x, out<T> y, out<T> z, out<T> dz) const {
    if constexpr (!is_differentiable(dtype_of<T>)) {
      return {{none, none}};
    } else {
      const out<T> cx = detail::conjugated(x), cy = detail::conjugated(y);
      const out<bool> has_log = [&] {
        if constexpr (in_list<T, complex_numbers>) return not_equal(cx, T(0));
        else return greater(cx, T(0));
      }();
      const out<T> log_x = select(has_log, log(select(has_log, cx, ones_like(x))), zeros_like(x));
      return detail::unbroadcast(x, y, dz * cy * pow(cx, cy - T(1)), dz * detail::conjugated(z) * log_x);
    }
  }
};

// Element-wise product x y, or 0 if y is 0, even if x is infinite or NaN.
struct mul_no_nan_op : binary_elementwise<mul_no_nan_op> {
  static constexpr std::string_view name = "MulNoNan";
  using types = differentiable_numbers;
  using function = functor::mul_no_nan;
  using complex_function = functor::complex_mul_no_nan;
  template <class T> gradients_of<T, 2> gradient(out<T> x, out<T> y, out<T>, out<T> dz) const {
    return detail::unbroadcast(x, y, mul_no_nan(dz, y), mul_no_nan(x, dz));
  }
};

// Element-wise quotient x / y, or 0 if y is 0.
struct div_no_nan_op : binary_elementwise<div_no_nan_op> {
  static constexpr std::string_view name = "DivNoNan";
  using types = differentiable_numbers;
  using function = functor::div_no_nan;
  using complex_function = functor::complex_div_no_nan;
  template <class T> gradients_of<T, 2> gradient(out<T> x, out<T> y, out<T>, out<T> dz) const {
    const out<T> cx = detail::conjugated(x), cy = detail::conjugated(y);
    return detail::unbroadcast(x, y, div_no_nan(dz, cy), dz * div_no_nan(div_no_nan(-cx, cy), cy));
  }
};

// Element-wise quotient x / y, or 0 if x is 0. The gradients of this op and of the next two ops are not conjugated, as in
// TensorFlow.
struct xdivy_op : binary_elementwise<xdivy_op> {
  static constexpr std::string_view name = "Xdivy";
  using types = differentiable_numbers;
  using function = functor::xdivy;
  using complex_function = functor::complex_xdivy;
  template <class T> gradients_of<T, 2> gradient(out<T> x, out<T> y, out<T>, out<T> dz) const {
    return detail::unbroadcast(x, y, xdivy(detail::is_not_zero(x), y) * dz, xdivy(-x, square(y)) * dz);
  }
};

// x log(y) for each element, or 0 if x is 0.
struct xlogy_op : binary_elementwise<xlogy_op> {
  static constexpr std::string_view name = "Xlogy";
  using types = differentiable_numbers;
  using function = functor::xlogy;
  template <class T> gradients_of<T, 2> gradient(out<T> x, out<T> y, out<T>, out<T> dz) const {
    return detail::unbroadcast(x, y, xlogy(detail::is_not_zero(x), y) * dz, xdivy(x, y) * dz);
  }
};

// x log(1 + y) for each element, or 0 if x is 0.
struct xlog1py_op : binary_elementwise<xlog1py_op> {
  static constexpr std::string_view name = "Xlog1py";
  using types = differentiable_numbers;
  using function = functor::xlog1py;
  template <class T> gradients_of<T, 2> gradient(out<T> x, out<T> y, out<T>, out<T> dz) const {
    return detail::unbroadcast(x, y, xlog1py(detail::is_not_zero(x), y) * dz, xdivy(x, y + T(1)) * dz);
  }
};

// One operand may be a scalar: pow(x, 3.f).
template <class T> out<T> pow(out<T> x, std::type_identity_t<operand<T>> y, site s = {}) {
  return detail::apply_operands(pow_op{}, {x, s.location}, y, s);
}
template <class T> out<T> mul_no_nan(out<T> x, std::type_identity_t<operand<T>> y, site s = {}) {
  return detail::apply_operands(mul_no_nan_op{}, {x, s.location}, y, s);
}
template <class T> out<T> div_no_nan(out<T> x, std::type_identity_t<operand<T>> y, site s = {}) {
  return detail::apply_operands(div_no_nan_op{}, {x, s.location}, y, s);
}
template <class T> out<T> xdivy(out<T> x, std::type_identity_t<operand<T>> y, site s = {}) {
  return detail::apply_operands(xdivy_op{}, {x, s.location}, y, s);
}
template <class T> out<T> xlogy(out<T> x, std::type_identity_t<operand<T>> y, site s = {}) {
  return detail::apply_operands(xlogy_op{}, {x, s.location}, y, s);
}
template <class T> out<T> xlog1py(out<T> x, std::type_identity_t<operand<T>> y, site s = {}) {
  return detail::apply_operands(xlog1py_op{}, {x, s.location}, y, s);
}

using power_ops = type_list<pow_op, mul_no_nan_op, div_no_nan_op, xdivy_op, xlogy_op, xlog1py_op>;

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/math/detail/power.hpp>
#endif
