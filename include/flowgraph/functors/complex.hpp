#pragma once
// Functions of complex numbers, for which the functors of real numbers would return a different result.

#include <flowgraph/functors/functions.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

struct conjugate {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::conj(x); }
};
// x / |x|, and 0 at 0.
struct complex_sign {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return x == P(0) ? x : x / functions<P>::abs(x); }
};
// |a - b|^2
struct complex_squared_difference {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return (a - b) * functions<P>::conj(a - b); }
};

// Multiplies by the plain formulas, as TensorFlow's kernels do. The result is NaN in cases in which the standard library would
// return an infinity.
struct complex_mul {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
};
struct complex_div {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) {
    using f = functions<decltype(b.real())>;
    const auto real_size = f::abs(b.real()), imaginary_size = f::abs(b.imag());
    const auto scale = real_size < imaginary_size ? imaginary_size : real_size;  // prevents overflow of a square
    const auto re = b.real() / scale, im = b.imag() / scale, square = re * re + im * im;
    return {(a.real() * re + a.imag() * im) / square / scale, (a.imag() * re - a.real() * im) / square / scale};
  }
};
struct complex_reciprocal {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return complex_div::packet(P(1), x); }
};

// Gradients computed from the output, as TensorFlow's kernels define them for complex numbers.
struct complex_sqrt_grad {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P y, P dy) {
    return complex_div::packet(dy * P(0.5), functions<P>::conj(y));
  }
};
struct complex_rsqrt_grad {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P y, P dy) {
    const P c = functions<P>::conj(y);
    return complex_mul::packet(complex_mul::packet(dy * P(-0.5), c), complex_mul::packet(c, c));
  }
};
struct complex_reciprocal_grad {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P y, P dy) {
    return complex_mul::packet(complex_mul::packet(-dy, functions<P>::conj(y)), functions<P>::conj(y));
  }
};

// Functions that return 0 if one operand is 0.
struct complex_mul_no_nan {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) { return y == P(0) ? P(0) : complex_mul::packet(x, y); }
};
struct complex_div_no_nan {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) { return y == P(0) ? P(0) : complex_div::packet(x, y); }
};
struct complex_xdivy {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) { return x == P(0) ? P(0) : complex_div::packet(x, y); }
};

// Real functions of a complex number.
struct real_part {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static auto packet(P x) { return x.real(); }
};
struct imaginary_part {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static auto packet(P x) { return x.imag(); }
};
struct angle {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static auto packet(P x) { return functions<P>::arg(x); }
};
struct magnitude {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static auto packet(P x) { return functions<P>::abs(x); }
};

}  // namespace flowgraph::functor
