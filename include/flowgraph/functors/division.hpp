#pragma once
// Quotients that are rounded to integers, and remainders. Other quotients are in arithmetic.hpp.

#include <flowgraph/functors/functions.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

// floor(x / y). A quotient of halves is rounded to a half before it is rounded down, as in TensorFlow.
struct floor_div {
  static constexpr bool by_number = true, by_half = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) { return functions<P>::floor(functions<P>::divide(x, y)); }
  template <class T> FLOWGRAPH_ALWAYS_INLINE static detail::wrapping<T> packet(detail::wrapping<T> x, detail::wrapping<T> y) {
    const detail::wrapping<T> quotient = x / y;
    const bool rounded_up = (x.value < 0) != (y.value < 0) && (quotient * y).value != x.value;
    return rounded_up ? quotient - T(1) : quotient;
  }
};

// x - y floor(x / y)
struct floor_mod {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) {
    const P zero(0), left = functions<P>::remainder(x, y);
    return left != zero && (y < zero) != (left < zero) ? left + y : left;
  }
};

// x / y rounded toward zero. A quotient of halves is rounded to a half first.
struct truncate_div {
  static constexpr bool by_number = true, by_half = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) { return functions<P>::trunc(functions<P>::divide(x, y)); }
  template <class T> FLOWGRAPH_ALWAYS_INLINE static detail::wrapping<T> packet(detail::wrapping<T> x, detail::wrapping<T> y) {
    return x / y;
  }
};

// x - y trunc(x / y)
struct truncate_mod {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) { return functions<P>::remainder(x, y); }
};

}  // namespace flowgraph::functor
