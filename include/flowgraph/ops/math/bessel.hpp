#pragma once
// Bessel functions of orders 0 and 1: J and Y, the modified functions I and K, and the scaled forms of I and K: exp(-|x|) I and
// exp(x) K (I0e, K0e, ...).

#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/shared/pointwise.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace functor {

// The functors are defined in functors/bessel.hpp.
struct bessel_i0;
struct bessel_i0e;
struct bessel_i1;
struct bessel_i1e;
struct bessel_j0;
struct bessel_j1;
struct bessel_k0;
struct bessel_k0e;
struct bessel_k1;
struct bessel_k1e;
struct bessel_y0;
struct bessel_y1;

}  // namespace functor

namespace detail {

using bessel_types = type_list<half, float, double>;

// Returns `derivative`, or `at_zero` if x is 0, since a quotient by x is undefined there.
template <class T> out<T> patched_at_zero(const out<T>& x, float at_zero, const out<T>& derivative) {
  return select(equal(x, T(0)), scalar_beside(x, T(at_zero)), derivative);
}

}  // namespace detail

// The modified Bessel function of the first kind, order 0.
struct bessel_i0_op : unary_pointwise<bessel_i0_op> {
  static constexpr std::string_view name = "BesselI0";
  using types = detail::bessel_types;
  using function = functor::bessel_i0;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return dy * bessel_i1(x); }
};

// The modified Bessel function of the first kind, order 0, scaled: exp(-|x|) I0(x).
struct bessel_i0e_op : unary_pointwise<bessel_i0e_op> {
  static constexpr std::string_view name = "BesselI0e";
  using types = detail::bessel_types;
  using function = functor::bessel_i0e;
  template <class T> out<T> gradient(out<T> x, out<T> y, out<T> dy) const { return dy * (bessel_i1e(x) - sign(x) * y); }
};

// The modified Bessel function of the first kind, order 1.
struct bessel_i1_op : unary_pointwise<bessel_i1_op> {
  static constexpr std::string_view name = "BesselI1";
  using types = detail::bessel_types;
  using function = functor::bessel_i1;
  template <class T> out<T> gradient(out<T> x, out<T> y, out<T> dy) const {
    return dy * detail::patched_at_zero(x, 1.f, bessel_i0(x) - y / x);
  }
};

// The modified Bessel function of the first kind, order 1, scaled: exp(-|x|) I1(x).
struct bessel_i1e_op : unary_pointwise<bessel_i1e_op> {
  static constexpr std::string_view name = "BesselI1e";
  using types = detail::bessel_types;
  using function = functor::bessel_i1e;
  template <class T> out<T> gradient(out<T> x, out<T> y, out<T> dy) const {
    return dy * detail::patched_at_zero(x, 0.5f, bessel_i0e(x) - y * (sign(x) + reciprocal(x)));
  }
};

// The Bessel function of the first kind, order 0.
struct bessel_j0_op : unary_pointwise<bessel_j0_op> {
  static constexpr std::string_view name = "BesselJ0";
  using types = detail::bessel_types;
  using function = functor::bessel_j0;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return dy * -bessel_j1(x); }
};

// The Bessel function of the first kind, order 1.
struct bessel_j1_op : unary_pointwise<bessel_j1_op> {
  static constexpr std::string_view name = "BesselJ1";
  using types = detail::bessel_types;
  using function = functor::bessel_j1;
  template <class T> out<T> gradient(out<T> x, out<T> y, out<T> dy) const {
    return dy * detail::patched_at_zero(x, 0.5f, bessel_j0(x) - y / x);
  }
};

// The modified Bessel function of the second kind, order 0.
struct bessel_k0_op : unary_pointwise<bessel_k0_op> {
  static constexpr std::string_view name = "BesselK0";
  using types = detail::bessel_types;
  using function = functor::bessel_k0;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return dy * -bessel_k1(x); }
};

// The modified Bessel function of the second kind, order 0, scaled: exp(x) K0(x).
struct bessel_k0e_op : unary_pointwise<bessel_k0e_op> {
  static constexpr std::string_view name = "BesselK0e";
  using types = detail::bessel_types;
  using function = functor::bessel_k0e;
  template <class T> out<T> gradient(out<T> x, out<T> y, out<T> dy) const { return dy * (y - bessel_k1e(x)); }
};

// The modified Bessel function of the second kind, order 1.
struct bessel_k1_op : unary_pointwise<bessel_k1_op> {
  static constexpr std::string_view name = "BesselK1";
  using types = detail::bessel_types;
  using function = functor::bessel_k1;
  template <class T> out<T> gradient(out<T> x, out<T> y, out<T> dy) const { return dy * (-bessel_k0(x) - y / x); }
};

// The modified Bessel function of the second kind, order 1, scaled: exp(x) K1(x).
struct bessel_k1e_op : unary_pointwise<bessel_k1e_op> {
  static constexpr std::string_view name = "BesselK1e";
  using types = detail::bessel_types;
  using function = functor::bessel_k1e;
  template <class T> out<T> gradient(out<T> x, out<T> y, out<T> dy) const {
    return dy * (y * (T(1) - reciprocal(x)) - bessel_k0e(x));
  }
};

// The Bessel function of the second kind, order 0.
struct bessel_y0_op : unary_pointwise<bessel_y0_op> {
  static constexpr std::string_view name = "BesselY0";
  using types = detail::bessel_types;
  using function = functor::bessel_y0;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return dy * -bessel_y1(x); }
};

// The Bessel function of the second kind, order 1.
struct bessel_y1_op : unary_pointwise<bessel_y1_op> {
  static constexpr std::string_view name = "BesselY1";
  using types = detail::bessel_types;
  using function = functor::bessel_y1;
  template <class T> out<T> gradient(out<T> x, out<T> y, out<T> dy) const { return dy * (bessel_y0(x) - y / x); }
};

template <class T> out<T> bessel_i0(out<T> x, site s = {}) { return apply(bessel_i0_op{}, x, s); }
template <class T> out<T> bessel_i0e(out<T> x, site s = {}) { return apply(bessel_i0e_op{}, x, s); }
template <class T> out<T> bessel_i1(out<T> x, site s = {}) { return apply(bessel_i1_op{}, x, s); }
template <class T> out<T> bessel_i1e(out<T> x, site s = {}) { return apply(bessel_i1e_op{}, x, s); }
template <class T> out<T> bessel_j0(out<T> x, site s = {}) { return apply(bessel_j0_op{}, x, s); }
template <class T> out<T> bessel_j1(out<T> x, site s = {}) { return apply(bessel_j1_op{}, x, s); }
template <class T> out<T> bessel_k0(out<T> x, site s = {}) { return apply(bessel_k0_op{}, x, s); }
template <class T> out<T> bessel_k0e(out<T> x, site s = {}) { return apply(bessel_k0e_op{}, x, s); }
template <class T> out<T> bessel_k1(out<T> x, site s = {}) { return apply(bessel_k1_op{}, x, s); }
template <class T> out<T> bessel_k1e(out<T> x, site s = {}) { return apply(bessel_k1e_op{}, x, s); }
template <class T> out<T> bessel_y0(out<T> x, site s = {}) { return apply(bessel_y0_op{}, x, s); }
template <class T> out<T> bessel_y1(out<T> x, site s = {}) { return apply(bessel_y1_op{}, x, s); }

using bessel_ops = type_list<bessel_i0_op, bessel_i0e_op, bessel_i1_op, bessel_i1e_op, bessel_j0_op, bessel_j1_op, bessel_k0_op,
                             bessel_k0e_op, bessel_k1_op, bessel_k1e_op, bessel_y0_op, bessel_y1_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/math/detail/bessel.hpp>
#endif
