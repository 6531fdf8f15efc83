#pragma once
// Roots and powers.

#include <flowgraph/functors/functions.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

struct sqrt {
  static constexpr bool exact = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::sqrt(x); }
};
struct rsqrt {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return P(1) / functions<P>::sqrt(x); }
};

struct pow {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) { return functions<P>::pow(x, y); }
  // By squaring; the exponent is not negative.
  template <class T> FLOWGRAPH_ALWAYS_INLINE static detail::wrapping<T> packet(detail::wrapping<T> x, detail::wrapping<T> y) {
    detail::wrapping<T> power = T(1);
    for (T n = y.value; n > 0; n = static_cast<T>(n >> 1)) {
      if (n & 1) power = power * x;
      x = x * x;
    }
    return power;
  }
};

using power_functors = functor_list<sqrt, rsqrt>;

}  // namespace flowgraph::functor
