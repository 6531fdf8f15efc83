#pragma once
// The error function, the gamma, beta and zeta functions, and related functions.

#include <flowgraph/functors/error_function.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/shared/pointwise.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace functor {

// The functors are defined in functors/gamma.hpp and functors/special.hpp.
struct erfinv;
struct ndtri;
struct lgamma;
struct digamma;
struct polygamma;
struct zeta;
struct igamma_grad_a;
struct igamma;
struct igammac;

}  // namespace functor

namespace detail {

// The constant factor in the derivatives of Erf and related functions.
template <class T> T two_over_root_pi() {
  using number = std::conditional_t<std::is_same_v<T, double>, double, float>;
  return static_cast<T>(static_cast<number>(1.12837916709551257390));
}

// Returns a log(x), or 0 if a is 0, even if log(x) is not finite.
template <class T> out<T> power_term(const out<T>& a, const out<T>& log_x) {
  return select(equal(a, T(0)), scalar_beside(a, T(0)), a * log_x);
}

}  // namespace detail

// Error function of each element.
struct erf_op : unary_elementwise<erf_op> {
  static constexpr std::string_view name = "Erf";
  static constexpr op_facts facts{.work = work_figure(10).elements_of_output(0)};
  using types = floating;
  using function = functor::erf;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const {
    return dy * detail::two_over_root_pi<T>() * exp(-square(x));
  }
};

// Complementary error function of each element, 1 - erf(x).
struct erfc_op : unary_elementwise<erfc_op> {
  static constexpr std::string_view name = "Erfc";
  using types = floating;
  using function = functor::erfc;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const {
    return -dy * detail::two_over_root_pi<T>() * exp(-square(x));
  }
};

// Inverse error function of each element.
struct erfinv_op : unary_pointwise<erfinv_op> {
  static constexpr std::string_view name = "Erfinv";
  using types = type_list<float, double>;
  using function = functor::erfinv;
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const {
    return dy * (T(1) / detail::two_over_root_pi<T>()) * exp(square(y));
  }
};

// Quantile of the standard normal distribution: the number at which the distribution function is x.
struct ndtri_op : unary_pointwise<ndtri_op> {
  static constexpr std::string_view name = "Ndtri";
  using types = type_list<float, double>;
  using function = functor::ndtri;
  template <class T> out<T> gradient(out<T>, out<T> y, out<T> dy) const {
    return dy * T(2.50662827463100050242) * exp(square(y) / T(2));
  }
};

// Logarithm of the absolute value of the gamma function, log |gamma(x)|.
struct lgamma_op : unary_pointwise<lgamma_op> {
  static constexpr std::string_view name = "Lgamma";
  static constexpr op_facts facts{.work = work_figure(30).elements_of_output(0)};
  using types = type_list<half, float, double>;
  using function = functor::lgamma;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return dy * digamma(x); }
};

// Derivative of Lgamma, psi(x).
struct digamma_op : unary_pointwise<digamma_op> {
  static constexpr std::string_view name = "Digamma";
  using types = type_list<half, float, double>;
  using function = functor::digamma;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const;
};

// Derivative of order a of Digamma, for integers a >= 0. The gradient with respect to a is undefined.
struct polygamma_op : binary_pointwise<polygamma_op> {
  static constexpr std::string_view name = "Polygamma";
  using types = type_list<float, double>;
  using function = functor::polygamma;
  template <class T> std::tuple<none_type, any_grad> gradient(out<T> a, out<T> x, out<T>, out<T> dy) const {
    return {none, any_grad(detail::reduced_like(apply(polygamma_op{}, a + T(1), x) * dy, x, a.shape()))};
  }
};

// Hurwitz zeta function: the sum of (k + q)^-x over k >= 0. There is no gradient with respect to x.
struct zeta_op : binary_pointwise<zeta_op> {
  static constexpr std::string_view name = "Zeta";
  using types = type_list<float, double>;
  using function = functor::zeta;
  template <class T> std::tuple<none_type, any_grad> gradient(out<T> x, out<T> q, out<T>, out<T> dy) const {
    return {none, any_grad(detail::reduced_like(-x * apply(zeta_op{}, x + T(1), q) * dy, q, x.shape()))};
  }
};

// Derivative of Igamma with respect to a.
struct igamma_grad_a_op : binary_pointwise<igamma_grad_a_op> {
  static constexpr std::string_view name = "IgammaGradA";
  using types = type_list<float, double>;
  static constexpr op_facts facts{.not_differentiable = true};
  using function = functor::igamma_grad_a;
};

namespace detail {

// Returns the gradient of Igamma. The density is computed with logarithms, since gamma(a) becomes large.
template <class T> gradients_of<T, 2> igamma_gradient(const out<T>& a, const out<T>& x, const out<T>& dy) {
  const out<T> density = exp(-x + (a - T(1)) * log(x) - lgamma(a));
  return unbroadcast(a, x, apply(igamma_grad_a_op{}, a, x) * dy, density * dy);
}

}  // namespace detail

// Regularized lower incomplete gamma function: the lower incomplete gamma function divided by gamma(a).
struct igamma_op : binary_pointwise<igamma_op> {
  static constexpr std::string_view name = "Igamma";
  using types = type_list<float, double>;
  using function = functor::igamma;
  template <class T> gradients_of<T, 2> gradient(out<T> a, out<T> x, out<T>, out<T> dy) const {
    return detail::igamma_gradient(a, x, dy);
  }
};

// Regularized upper incomplete gamma function: 1 - Igamma.
struct igammac_op : binary_pointwise<igammac_op> {
  static constexpr std::string_view name = "Igammac";
  using types = type_list<float, double>;
  using function = functor::igammac;
  template <class T> gradients_of<T, 2> gradient(out<T> a, out<T> x, out<T>, out<T> dy) const {
    return detail::igamma_gradient(a, x, -dy);
  }
};

// Regularized incomplete beta function. Its inputs have the same shape, or are scalars. There is a gradient only with respect to
// x.
struct betainc_op {
  static constexpr std::string_view name = "Betainc";
  using types = type_list<float, double>;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& a, const flowgraph::shape& b, const flowgraph::shape& x) const;
  template <class T> void operator()(cpu ctx, view<const T> a, view<const T> b, view<const T> x, view<T> y) const;
  template <class T> std::tuple<none_type, none_type, any_grad> gradient(out<T> a, out<T> b, out<T> x, out<T>, out<T> dy) const {
    const out<T> log_beta = lgamma(a) + lgamma(b) - lgamma(a + b);
    const out<T> density = exp(detail::power_term(b - T(1), log1p(-x)) + detail::power_term(a - T(1), log(x)) - log_beta);
    return {none, none, any_grad(detail::reduced_like(density * dy, x, a.shape()))};
  }
};

template <class T> out<T> erf(out<T> x, site s = {}) { return apply(erf_op{}, x, s); }
template <class T> out<T> erfc(out<T> x, site s = {}) { return apply(erfc_op{}, x, s); }
template <class T> out<T> erfinv(out<T> x, site s = {}) { return apply(erfinv_op{}, x, s); }
template <class T> out<T> ndtri(out<T> x, site s = {}) { return apply(ndtri_op{}, x, s); }
template <class T> out<T> lgamma(out<T> x, site s = {}) { return apply(lgamma_op{}, x, s); }
template <class T> out<T> digamma(out<T> x, site s = {}) { return apply(digamma_op{}, x, s); }
template <class T> out<T> polygamma(out<T> a, out<T> x, site s = {}) { return apply(polygamma_op{}, a, x, s); }
template <class T> out<T> zeta(out<T> x, out<T> q, site s = {}) { return apply(zeta_op{}, x, q, s); }
template <class T> out<T> igamma(out<T> a, out<T> x, site s = {}) { return apply(igamma_op{}, a, x, s); }
template <class T> out<T> igammac(out<T> a, out<T> x, site s = {}) { return apply(igammac_op{}, a, x, s); }
template <class T> out<T> betainc(out<T> a, out<T> b, out<T> x, site s = {}) { return apply(betainc_op{}, a, b, x, s); }

// Polygamma does not support the half type.
template <class T> out<T> digamma_op::gradient(out<T> x, out<T>, out<T> dy) const {
  if constexpr (std::is_same_v<T, half>) {
    const out<float> wide = cast<float>(x);
    return dy * cast<half>(polygamma(detail::scalar_beside(wide, 1.f), wide));
  } else {
    return dy * polygamma(detail::scalar_beside(x, T(1)), x);
  }
}

using special_ops = type_list<erf_op, erfc_op, erfinv_op, ndtri_op, lgamma_op, digamma_op, polygamma_op, zeta_op, igamma_op,
                              igammac_op, igamma_grad_a_op, betainc_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/math/detail/special.hpp>
#endif
