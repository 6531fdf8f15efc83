#pragma once

#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/math/power.hpp>

#include <cmath>
#include <complex>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace functor {

struct pow {
  static constexpr bool by_number = true;
  template <class P> static P packet(P x, P y) { return std::pow(x, y); }
  // By squaring; the exponent is not negative.
  template <class T> static detail::wrapping<T> packet(detail::wrapping<T> x, detail::wrapping<T> y) {
    detail::wrapping<T> power = T(1);
    for (T n = y.value; n > 0; n = static_cast<T>(n >> 1)) {
      if (n & 1) power = power * x;
      x = x * x;
    }
    return power;
  }
};

struct complex_mul_no_nan {
  template <class P> static P packet(P x, P y) { return y == P(0) ? P(0) : complex_mul::packet(x, y); }
};
struct complex_div_no_nan {
  template <class P> static P packet(P x, P y) { return y == P(0) ? P(0) : complex_div::packet(x, y); }
};
struct complex_xdivy {
  template <class P> static P packet(P x, P y) { return x == P(0) ? P(0) : complex_div::packet(x, y); }
};

}  // namespace functor

template <class T> bool detail::check_exponent(cpu ctx, view<const T> exponents) {
  if constexpr (std::is_integral_v<T>) {
    for (const T e : exponents) {
      if (e < 0) {
        ctx.fail(error_code::invalid_argument, message{"integers cannot be raised to negative powers, found ", std::int64_t{e}});
        return false;
      }
    }
  }
  return true;
}

}
}  // namespace flowgraph
