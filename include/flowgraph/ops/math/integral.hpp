#pragma once
// Functions that are defined by integrals: Dawson's integral, the exponential integral Ei, Fresnel's integrals, Spence's
// function.

#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/math/trigonometry.hpp>
#include <flowgraph/ops/shared/pointwise.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace functor {

// The functors are defined in functors/integrals.hpp.
struct dawsn;
struct expint;
struct fresnel_cos;
struct fresnel_sin;
struct spence;

}  // namespace functor

namespace detail {

// Returns pi x^2 / 2. Fresnel's integrals are the integrals of the cosine and the sine of this number.
template <class T> out<T> fresnel_angle(const out<T>& x) { return square(x) * T(1.57079632679489661923); }

}  // namespace detail

// Dawson's integral: exp(-x^2) times the integral of exp(t^2) from 0 to x.
struct dawsn_op : unary_pointwise<dawsn_op> {
  static constexpr std::string_view name = "Dawsn";
  using types = type_list<float, double>;
  using function = functor::dawsn;
  template <class T> out<T> gradient(out<T> x, out<T> y, out<T> dy) const { return dy * (T(1) - T(2) * x * y); }
};

// The exponential integral: the integral of exp(t) / t from -infinity to x for x > 0, and NaN for x < 0.
struct expint_op : unary_pointwise<expint_op> {
  static constexpr std::string_view name = "Expint";
  using types = type_list<float, double>;
  using function = functor::expint;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return dy * exp(x) / x; }
};

// Fresnel's cosine integral: the integral of cos(pi t^2 / 2) from 0 to x.
struct fresnel_cos_op : unary_pointwise<fresnel_cos_op> {
  static constexpr std::string_view name = "FresnelCos";
  using types = type_list<float, double>;
  using function = functor::fresnel_cos;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return dy * cos(detail::fresnel_angle(x)); }
};

// Fresnel's sine integral: the integral of sin(pi t^2 / 2) from 0 to x.
struct fresnel_sin_op : unary_pointwise<fresnel_sin_op> {
  static constexpr std::string_view name = "FresnelSin";
  using types = type_list<float, double>;
  using function = functor::fresnel_sin;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return dy * sin(detail::fresnel_angle(x)); }
};

// Spence's function: the integral of log(t) / (1 - t) from 1 to x, and NaN for x < 0.
struct spence_op : unary_pointwise<spence_op> {
  static constexpr std::string_view name = "Spence";
  using types = type_list<float, double>;
  using function = functor::spence;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const {
    return dy * select(equal(x, T(1)), detail::scalar_beside(x, T(-1)), log(x) / (T(1) - x));
  }
};

template <class T> out<T> dawsn(out<T> x, site s = {}) { return apply(dawsn_op{}, x, s); }
template <class T> out<T> expint(out<T> x, site s = {}) { return apply(expint_op{}, x, s); }
template <class T> out<T> fresnel_cos(out<T> x, site s = {}) { return apply(fresnel_cos_op{}, x, s); }
template <class T> out<T> fresnel_sin(out<T> x, site s = {}) { return apply(fresnel_sin_op{}, x, s); }
template <class T> out<T> spence(out<T> x, site s = {}) { return apply(spence_op{}, x, s); }

using integral_ops = type_list<dawsn_op, expint_op, fresnel_cos_op, fresnel_sin_op, spence_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/math/detail/integral.hpp>
#endif
