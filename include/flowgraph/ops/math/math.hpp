#pragma once
// Element-wise arithmetic and elementary functions, with their gradients.

#include <flowgraph/functors/arithmetic.hpp>
#include <flowgraph/functors/complex.hpp>
#include <flowgraph/functors/exponential.hpp>
#include <flowgraph/functors/gradients.hpp>
#include <flowgraph/functors/power.hpp>
#include <flowgraph/functors/rounding.hpp>
#include <flowgraph/ops/array/constant.hpp>
#include <flowgraph/ops/shared/elementwise.hpp>

#include <concepts>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

using signed_numbers = joined<floating, signed_integers, complex_numbers>;

// Complex conjugate of each element.
struct conj_op : unary_elementwise<conj_op> {
  static constexpr std::string_view name = "Conj";
  static constexpr op_facts facts{.meaning = op_meaning::involution};
  using types = complex_numbers;
  using function = functor::conjugate;
  template <class T> out<T> gradient(out<T>, out<T>, out<T> dy) const { return conj(dy); }
};

namespace detail {

// Conjugates complex numbers, for gradients of complex functions. Other numbers are returned unchanged.
template <class T> out<T> conjugated(out<T> x) {
  if constexpr (std::is_same_v<T, complex64> || std::is_same_v<T, complex128>) return conj(x);
  else return x;
}

template <class T> out<T> scalar_beside(const any_out& handle, T value) {
  return constant_beside(handle, tensor<T>(std::move(value)));
}

}  // namespace detail

// Element-wise sum a + b.
struct add_v2_op : binary_elementwise<add_v2_op> {
  static constexpr std::string_view name = "AddV2";
  static constexpr op_facts facts{.meaning = op_meaning::sum};
  using types = numbers;
  using function = functor::add;
  template <class T> gradients_of<T, 2> gradient(out<T> a, out<T> b, out<T>, out<T> dy) const {
    return detail::unbroadcast(a, b, dy, dy);
  }
};

// Element-wise sum a + b. This older form of AddV2 also concatenates strings.
struct add_v1_op : binary_elementwise<add_v1_op> {
  static constexpr std::string_view name = "Add";
  static constexpr op_facts facts{.meaning = op_meaning::sum};
  using types = joined<floating, signed_integers, type_list<std::uint8_t>, complex_numbers, type_list<std::string>>;
  using function = functor::add;
  template <class T> gradients_of<T, 2> gradient(out<T> a, out<T> b, out<T>, out<T> dy) const {
    return detail::unbroadcast(a, b, dy, dy);
  }
};

// Element-wise difference a - b.
struct sub_op : binary_elementwise<sub_op> {
  static constexpr std::string_view name = "Sub";
  static constexpr op_facts facts{.meaning = op_meaning::difference};
  using types = numbers;
  using function = functor::sub;
  template <class T> gradients_of<T, 2> gradient(out<T> a, out<T> b, out<T>, out<T> dy) const {
    return detail::unbroadcast(a, b, dy, -dy);
  }
};

// Element-wise product a * b.
struct mul_op : binary_elementwise<mul_op> {
  static constexpr std::string_view name = "Mul";
  static constexpr op_facts facts{.meaning = op_meaning::product};
  using types = numbers;
  using function = functor::mul;
  using complex_function = functor::complex_mul;
  template <class T> gradients_of<T, 2> gradient(out<T> a, out<T> b, out<T>, out<T> dy) const {
    return detail::unbroadcast(a, b, dy * detail::conjugated(b), dy * detail::conjugated(a));
  }
};

namespace detail {

// Reports an error if an element of the divisor is zero.
template <std::integral T> bool check_divisor(cpu ctx, view<const T> divisor) {
  for (const T d : divisor)
    if (d == 0) return fail_check(ctx, "Integer division by zero");
  return true;
}

template <class T> gradients_of<T, 2> quotient_gradient(out<T> a, out<T> b, out<T> dy) {
  const out<T> x = conjugated(a), y = conjugated(b);
  return unbroadcast(a, b, dy / y, dy * ((-x / y) / y));
}

}  // namespace detail

// Element-wise quotient a / b. Integers are rounded toward zero.
struct div_op : binary_elementwise<div_op> {
  static constexpr std::string_view name = "Div";
  static constexpr op_facts facts{.meaning = op_meaning::quotient};
  using types = numbers;
  using function = functor::div;
  using complex_function = functor::complex_div;
  template <std::integral T> static bool check(cpu ctx, view<const T> divisor) { return detail::check_divisor(ctx, divisor); }
  template <class T> gradients_of<T, 2> gradient(out<T> a, out<T> b, out<T>, out<T> dy) const {
    return detail::quotient_gradient(a, b, dy);
  }
};

// Element-wise quotient a / b of floating-point or complex numbers.
struct real_div_op : binary_elementwise<real_div_op> {
  static constexpr std::string_view name = "RealDiv";
  static constexpr op_facts facts{.meaning = op_meaning::quotient};
  using types = differentiable_numbers;
  using function = functor::div;
  using complex_function = functor::complex_div;
  template <class T> gradients_of<T, 2> gradient(out<T> a, out<T> b, out<T>, out<T> dy) const {
    return detail::quotient_gradient(a, b, dy);
  }
};

// Element-wise maximum of a and b. The result is NaN if either is NaN. If the operands are equal, the first one gets the
// gradient.
struct maximum_op : binary_elementwise<maximum_op> {
  static constexpr std::string_view name = "Maximum";
  static constexpr op_facts facts{.meaning = op_meaning::larger};
  using types = real_numbers;
  using function = functor::maximum;
  template <class T> gradients_of<T, 2> gradient(out<T> a, out<T> b, out<T>, out<T> dy) const {
    const out<T> zero = detail::scalar_beside(dy, T(0));
    const auto chosen = greater_equal(a, b);
    return detail::unbroadcast(a, b, select(chosen, dy, zero), select(chosen, zero, dy));
  }
};

// Element-wise minimum of a and b. The result is NaN if either is NaN.
struct minimum_op : binary_elementwise<minimum_op> {
  static constexpr std::string_view name = "Minimum";
  static constexpr op_facts facts{.meaning = op_meaning::smaller};
  using types = real_numbers;
  using function = functor::minimum;
  template <class T> gradients_of<T, 2> gradient(out<T> a, out<T> b, out<T>, out<T> dy) const {
    const out<T> zero = detail::scalar_beside(dy, T(0));
    const auto chosen = less_equal(a, b);
    return detail::unbroadcast(a, b, select(chosen, dy, zero), select(chosen, zero, dy));
  }
};

// Element-wise square of a - b. For complex numbers, it is the square of the absolute value.
struct squared_difference_op : binary_elementwise<squared_difference_op> {
  static constexpr std::string_view name = "SquaredDifference";
  using types = joined<floating, index_types, complex_numbers>;
  using function = functor::squared_difference;
  using complex_function = functor::complex_squared_difference;
  template <class T> gradients_of<T, 2> gradient(out<T> a, out<T> b, out<T>, out<T> dy) const {
    // For complex numbers the square is real, so only the real part of dy matters.
    const out<T> twice = [&] {
      if constexpr (in_list<T, complex_numbers>) return dy + conj(dy);
      else return dy * T(2);
    }();
    const out<T> da = twice * (a - b);
    return detail::unbroadcast(a, b, da, -da);
  }
};

// Element-wise negation.
struct neg_op : unary_elementwise<neg_op> {
  static constexpr std::string_view name = "Neg";
  static constexpr op_facts facts{.meaning = op_meaning::involution};
  using types = signed_numbers;
  using function = functor::neg;
  template <class T> out<T> gradient(out<T>, out<T>, out<T> dy) const { return -dy; }
};

// Sign of each element: -1, 0 or 1. For complex numbers, it is x / abs(x).
struct sign_op : unary_elementwise<sign_op> {
  static constexpr std::string_view name = "Sign";
  using types = signed_numbers;
  using function = functor::sign;
  using complex_function = functor::complex_sign;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T>) const { return zeros_like(x); }
};

// Absolute value of each element.
struct abs_op : unary_elementwise<abs_op> {
  static constexpr std::string_view name = "Abs";
  using types = joined<floating, signed_integers>;
  using function = functor::abs;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return dy * sign(x); }
};

// Rounds each element down. The result is constant almost everywhere, so there is no gradient.
struct floor_op : unary_elementwise<floor_op> {
  static constexpr std::string_view name = "Floor";
  using types = floating;
  using function = functor::floor;
  template <class T> none_type gradient(out<T>, out<T>, out<T>) const { return none; }
};

// Square of each element.
struct square_op : unary_elementwise<square_op> {
  static constexpr std::string_view name = "Square";
  using types = numbers;
  using function = functor::square;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return dy * (detail::conjugated(x) * T(2)); }
};

// Exponential function of each element.
struct exp_op : unary_elementwise<exp_op> {
  static constexpr std::string_view name = "Exp";
  static constexpr op_facts facts{.work = work_figure(10).elements_of_output(0)};
  using types = differentiable_numbers;
  using function = functor::exp;
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const { return dy * detail::conjugated(y); }
};

// exp(x) - 1 for each element, accurate near 0.
struct expm1_op : unary_elementwise<expm1_op> {
  static constexpr std::string_view name = "Expm1";
  using types = differentiable_numbers;
  using function = functor::expm1;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return dy * detail::conjugated(exp(x)); }
};

// The gradient of Reciprocal, -dy y^2, computed from the output of Reciprocal. For complex numbers the output is conjugated; this
// also holds for the gradients of the roots below.
struct reciprocal_grad_op : paired_elementwise<reciprocal_grad_op> {
  static constexpr std::string_view name = "ReciprocalGrad";
  using types = differentiable_numbers;
  using function = functor::reciprocal_grad;
  using complex_function = functor::complex_reciprocal_grad;
  template <class T> gradients_of<T, 2> gradient(out<T> y, out<T> dy, out<T>, out<T> ddx) const {
    const out<T> c = detail::conjugated(y);
    return {{detail::conjugated(ddx) * T(-2) * dy * c, apply(reciprocal_grad_op{}, c, ddx)}};
  }
};
// The older name of ReciprocalGrad.
struct inv_grad_op : reciprocal_grad_op {
  static constexpr std::string_view name = "InvGrad";
};

// Reciprocal of each element, 1 / x.
struct reciprocal_op : unary_elementwise<reciprocal_op> {
  static constexpr std::string_view name = "Reciprocal";
  using types = differentiable_numbers;
  using function = functor::reciprocal;
  using complex_function = functor::complex_reciprocal;
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const { return apply(reciprocal_grad_op{}, y, dy); }
};
// The older name of Reciprocal.
struct inv_op : reciprocal_op {
  static constexpr std::string_view name = "Inv";
};

// Natural logarithm of each element.
struct log_op : unary_elementwise<log_op> {
  static constexpr std::string_view name = "Log";
  static constexpr op_facts facts{.work = work_figure(10).elements_of_output(0)};
  using types = differentiable_numbers;
  using function = functor::log;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return dy * reciprocal(detail::conjugated(x)); }
};

// log(1 + x) for each element, accurate near 0.
struct log1p_op : unary_elementwise<log1p_op> {
  static constexpr std::string_view name = "Log1p";
  using types = differentiable_numbers;
  using function = functor::log1p;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return dy * reciprocal(detail::conjugated(x) + T(1)); }
};

// The gradient of Sqrt, dy / 2y, computed from the output of Sqrt.
struct sqrt_grad_op : paired_elementwise<sqrt_grad_op> {
  static constexpr std::string_view name = "SqrtGrad";
  using types = differentiable_numbers;
  using function = functor::sqrt_grad;
  using complex_function = functor::complex_sqrt_grad;
  template <class T> gradients_of<T, 2> gradient(out<T> y, out<T>, out<T> dx, out<T> ddx) const {
    const out<T> scaled = ddx / y;
    return {{-detail::conjugated(scaled) * dx, scaled * T(0.5)}};
  }
};

// Square root of each element.
struct sqrt_op : unary_elementwise<sqrt_op> {
  static constexpr std::string_view name = "Sqrt";
  using types = differentiable_numbers;
  using function = functor::sqrt;
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const { return apply(sqrt_grad_op{}, y, dy); }
};

// The gradient of Rsqrt, -dy y^3 / 2, computed from the output of Rsqrt.
struct rsqrt_grad_op : paired_elementwise<rsqrt_grad_op> {
  static constexpr std::string_view name = "RsqrtGrad";
  using types = differentiable_numbers;
  using function = functor::rsqrt_grad;
  using complex_function = functor::complex_rsqrt_grad;
  template <class T> gradients_of<T, 2> gradient(out<T> y, out<T> dy, out<T>, out<T> ddx) const {
    const out<T> c = detail::conjugated(y);
    return {{detail::conjugated(ddx) * T(-1.5) * dy * square(c), apply(rsqrt_grad_op{}, c, ddx)}};
  }
};

// Reciprocal of the square root of each element, 1 / sqrt(x).
struct rsqrt_op : unary_elementwise<rsqrt_op> {
  static constexpr std::string_view name = "Rsqrt";
  using types = differentiable_numbers;
  using function = functor::rsqrt;
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const { return apply(rsqrt_grad_op{}, y, dy); }
};

// Adds tensors of the same shape, in order. Lists are added element by element.
struct add_n_op {
  static constexpr std::string_view name = "AddN";
  using types = joined<numbers, type_list<variant>>;
  static constexpr op_facts facts{.differentiates_variants = true, .in_place = true};
  std::int64_t n = 1;
  static constexpr auto attrs = flowgraph::attrs(required("N", &add_n_op::n));

  flowgraph::shape shape(shape_context& c, std::span<const flowgraph::shape> inputs) const;
  template <class T> void operator()(cpu ctx, view_list<const T> inputs, view<T> sum) const;
  template <class T> out_list<T> gradient(const out_list<T>& inputs, out<T>, out<T> dy) const {
    return out_list<T>(inputs.size(), dy);
  }
};

// Element-wise maximum of a and b. The result is NaN if either is NaN. b may be a scalar: maximum(x, 0.f).
template <class T> out<T> maximum(out<T> a, std::type_identity_t<operand<T>> b, site s = {});
// Element-wise minimum of a and b. The result is NaN if either is NaN. b may be a scalar.
template <class T> out<T> minimum(out<T> a, std::type_identity_t<operand<T>> b, site s = {});
// Element-wise square of a - b. b may be a scalar.
template <class T> out<T> squared_difference(out<T> a, std::type_identity_t<operand<T>> b, site s = {});

// Each function contains the static_assert itself, as in apply(), so that the compiler's message names the user's call.

template <class T> out<T> negative(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<neg_op, out<T>>>);
  return detail::apply_deduced(s, neg_op{}, x);
}
template <class T> out<T> abs(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<abs_op, out<T>>>);
  return detail::apply_deduced(s, abs_op{}, x);
}
template <class T> out<T> sign(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<sign_op, out<T>>>);
  return detail::apply_deduced(s, sign_op{}, x);
}
template <class T> out<T> floor(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<floor_op, out<T>>>);
  return detail::apply_deduced(s, floor_op{}, x);
}
template <class T> out<T> square(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<square_op, out<T>>>);
  return detail::apply_deduced(s, square_op{}, x);
}
template <class T> out<T> exp(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<exp_op, out<T>>>);
  return detail::apply_deduced(s, exp_op{}, x);
}
template <class T> out<T> expm1(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<expm1_op, out<T>>>);
  return detail::apply_deduced(s, expm1_op{}, x);
}
template <class T> out<T> log(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<log_op, out<T>>>);
  return detail::apply_deduced(s, log_op{}, x);
}
template <class T> out<T> log1p(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<log1p_op, out<T>>>);
  return detail::apply_deduced(s, log1p_op{}, x);
}
template <class T> out<T> reciprocal(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<reciprocal_op, out<T>>>);
  return detail::apply_deduced(s, reciprocal_op{}, x);
}
template <class T> out<T> sqrt(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<sqrt_op, out<T>>>);
  return detail::apply_deduced(s, sqrt_op{}, x);
}
template <class T> out<T> rsqrt(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<rsqrt_op, out<T>>>);
  return detail::apply_deduced(s, rsqrt_op{}, x);
}
template <class T> out<T> conj(out<T> x, site s = {}) {
  static_assert(is_fit<fit_of<conj_op, out<T>>>);
  return detail::apply_deduced(s, conj_op{}, x);
}
template <class T> out<T> add_n(const out_list<T>& inputs, site s = {}) {
  return apply(add_n_op{static_cast<std::int64_t>(inputs.size())}, inputs, s);
}

using math_ops =
    type_list<add_v2_op, add_v1_op, sub_op, mul_op, div_op, real_div_op, maximum_op, minimum_op, squared_difference_op, neg_op,
              sign_op, abs_op, floor_op, square_op, exp_op, expm1_op, reciprocal_op, reciprocal_grad_op, inv_op, inv_grad_op,
              log_op, log1p_op, sqrt_op, sqrt_grad_op, rsqrt_op, rsqrt_grad_op, conj_op, add_n_op>;

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

// Functions that the gradients use.
#include <flowgraph/ops/shared/detail/gradients.hpp>

#ifdef FLOWGRAPH_BODIES
#include <flowgraph/ops/math/impl/math.hpp>
#endif
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/math/detail/math.hpp>
#endif
