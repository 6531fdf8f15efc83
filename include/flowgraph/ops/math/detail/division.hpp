#pragma once

#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/math/division.hpp>

#include <algorithm>
#include <cmath>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

template <class T> bool check_truncating_divisor(cpu ctx, view<const T> divisor) {
  if constexpr (std::is_integral_v<T>) {
    if (std::find(divisor.begin(), divisor.end(), T{0}) != divisor.end()) {
      ctx.fail(error_code::internal, "Integer division by zero");
      return false;
    }
  }
  return true;
}

// The quotient as TensorFlow has it: of halves, rounded to a half before anything else.
template <class P> auto rounded_quotient(P x, P y) {
  if constexpr (is_half<P>) return static_cast<float>(P(static_cast<float>(x) / static_cast<float>(y)));
  else return x / y;
}

// x - y trunc(x / y). By zero: zero, after the op has refused.
template <class T> wrapping<T> remainder(wrapping<T> x, wrapping<T> y) { return x - (x / y) * y; }
inline float remainder(float x, float y) { return std::fmod(x, y); }
inline double remainder(double x, double y) { return std::fmod(x, y); }

}  // namespace detail

namespace functor {

struct floor_div {
  static constexpr bool by_number = true, by_half = true;
  template <class P> static P packet(P x, P y) { return P(std::floor(detail::rounded_quotient(x, y))); }
  template <class T> static detail::wrapping<T> packet(detail::wrapping<T> x, detail::wrapping<T> y) {
    const detail::wrapping<T> quotient = x / y;
    const bool rounded_up = (x.value < 0) != (y.value < 0) && (quotient * y).value != x.value;
    return rounded_up ? quotient - T(1) : quotient;
  }
};

struct floor_mod {
  static constexpr bool by_number = true;
  template <class P> static P packet(P x, P y) {
    const P zero(0), left = detail::remainder(x, y);
    return left != zero && (y < zero) != (left < zero) ? left + y : left;
  }
};

struct truncate_div {
  static constexpr bool by_number = true, by_half = true;
  template <class P> static P packet(P x, P y) { return P(std::trunc(detail::rounded_quotient(x, y))); }
  template <class T> static detail::wrapping<T> packet(detail::wrapping<T> x, detail::wrapping<T> y) { return x / y; }
};

struct truncate_mod {
  static constexpr bool by_number = true;
  template <class P> static P packet(P x, P y) { return detail::remainder(x, y); }
};

}  // namespace functor

}
}  // namespace flowgraph
