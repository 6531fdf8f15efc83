#pragma once
// Ops that make complex numbers from real and imaginary parts, and ops that return the parts, absolute values and angles of
// complex numbers.

#include <flowgraph/functors/complex.hpp>
#include <flowgraph/ops/math/power.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// complex64 consists of floats, complex128 of doubles. While the signature of an op is read, placeholders that are not element
// types also satisfy this concept.
template <class C, class R> concept complex_over = !element<R> || std::is_same_v<C, std::complex<R>>;

}  // namespace detail

// Makes complex numbers from real and imaginary parts. The operands are broadcast.
struct complex_op {
  static constexpr std::string_view name = "Complex";
  static constexpr op_facts facts{.elementwise = true};
  using types = type_attrs<type_attr<"T", type_list<float, double>>, type_attr<"Tout", complex_numbers>>;

  constexpr flowgraph::shape shape(shape_context& c, const flowgraph::shape& re, const flowgraph::shape& im) const {
    return detail::broadcast_shape(c, re, im);
  }
  template <class R, class C>
    requires detail::complex_over<C, R> void operator()(cpu ctx, view<const R> re, view<const R> im, view<C> y) const;
  template <class R, class C> gradients_of<R, 2> gradient(out<R> re, out<R> im, out<C>, out<C> dy) const {
    if constexpr (detail::complex_over<C, R>) return detail::unbroadcast(re, im, real(dy), imag(dy));
    else return {{none, none}};
  }
};

// The base of ops that return a real number for each complex number.
template <class Op> struct complex_part {
  static constexpr op_facts base_facts{.elementwise = true};
  using types = type_attrs<type_attr<"T", complex_numbers>, type_attr<"Tout", type_list<float, double>>>;

  constexpr flowgraph::shape shape(const flowgraph::shape& x) const { return x; }
  template <class C, class R>
    requires detail::complex_over<C, R> void operator()(cpu ctx, view<const C> x, view<R> y) const;
  template <class C, class R> any_grad gradient(out<C> x, out<R> y, out<R> dy) const {
    if constexpr (detail::complex_over<C, R>) return Op::gradient_of(x, y, dy);
    else return none;
  }
};

// Returns the real part of complex numbers.
struct real_op : complex_part<real_op> {
  static constexpr std::string_view name = "Real";
  using function = functor::real_part;
  template <class C, class R> static out<C> gradient_of(const out<C>&, const out<R>&, const out<R>& dy) {
    return complex(dy, detail::scalar_beside(dy, R(0)));
  }
};

// Returns the imaginary part of complex numbers.
struct imag_op : complex_part<imag_op> {
  static constexpr std::string_view name = "Imag";
  using function = functor::imaginary_part;
  template <class C, class R> static out<C> gradient_of(const out<C>&, const out<R>&, const out<R>& dy) {
    return complex(detail::scalar_beside(dy, R(0)), dy);
  }
};

// Returns the angle of complex numbers, in [-pi, pi].
struct angle_op : complex_part<angle_op> {
  static constexpr std::string_view name = "Angle";
  using function = functor::angle;
  template <class C, class R> static out<C> gradient_of(const out<C>& x, const out<R>&, const out<R>& dy) {
    return -complex(dy, detail::scalar_beside(dy, R(0))) * reciprocal(complex(imag(x), real(x)));
  }
};

// Returns the absolute value of complex numbers. Its gradient at 0 is 0.
struct complex_abs_op : complex_part<complex_abs_op> {
  static constexpr std::string_view name = "ComplexAbs";
  using function = functor::magnitude;
  template <class C, class R> static out<C> gradient_of(const out<C>& x, const out<R>& y, const out<R>& dy) {
    const out<R> zero = detail::scalar_beside(dy, R(0));
    return div_no_nan(complex(dy, zero) * x, complex(y, zero));
  }
};

template <class R> out<std::complex<R>> complex(const out<R>& re, const out<R>& im, site s = {}) {
  return apply_as<R, std::complex<R>>(s, complex_op{}, re, im);
}
template <class R> out<R> real(const out<std::complex<R>>& x, site s = {}) {
  return apply_as<std::complex<R>, R>(s, real_op{}, x);
}
template <class R> out<R> imag(const out<std::complex<R>>& x, site s = {}) {
  return apply_as<std::complex<R>, R>(s, imag_op{}, x);
}
template <class R> out<R> angle(const out<std::complex<R>>& x, site s = {}) {
  return apply_as<std::complex<R>, R>(s, angle_op{}, x);
}
template <class R> out<R> abs(const out<std::complex<R>>& x, site s = {}) {
  return apply_as<std::complex<R>, R>(s, complex_abs_op{}, x);
}

using complex_ops = type_list<complex_op, real_op, imag_op, angle_op, complex_abs_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/math/detail/complex.hpp>
#endif
