#pragma once
// The functions that functors use, for plain numbers. With them, functors also compute integers, and types that are computed in
// another type.
//
// Files that are compiled for one instruction-set level never include this header.

#include <flowgraph/ops/kernel/functor.hpp>

#include <cmath>
#include <type_traits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {
namespace functor {

template <class T>
  requires std::is_arithmetic_v<T> struct functions<T> {
  static constexpr T select(bool condition, T a, T b) { return condition ? a : b; }
  static constexpr T max(T a, T b) { return a > b || a != a ? a : b; }  // NaN if either is NaN
  static constexpr T min(T a, T b) { return a < b || a != a ? a : b; }
  static constexpr T abs(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::signbit(x) ? -x : x;
    } else if constexpr (std::is_signed_v<T>) {
      using bits = std::make_unsigned_t<T>;
      return x < 0 ? static_cast<T>(static_cast<bits>(bits(0) - static_cast<bits>(x))) : x;  // the lowest number is unchanged
    } else {
      return x;
    }
  }
  static T floor(T x) { return std::is_integral_v<T> ? x : static_cast<T>(std::floor(x)); }
  static T rint(T x) { return std::is_integral_v<T> ? x : static_cast<T>(std::nearbyint(x)); }
  static T sqrt(T x) { return static_cast<T>(std::sqrt(x)); }
  static T exp(T x) { return static_cast<T>(std::exp(x)); }
  static T log(T x) { return static_cast<T>(std::log(x)); }
  static T log1p(T x) { return static_cast<T>(std::log1p(x)); }
  static T expm1(T x) { return static_cast<T>(std::expm1(x)); }
  static T tanh(T x) { return static_cast<T>(std::tanh(x)); }
  static T sigmoid(T x) {
    const T e = exp(-abs(x));
    return (x < 0 ? e : T(1)) / (e + 1);
  }
  static T erf(T x) { return static_cast<T>(std::erf(x)); }
  static T erfc(T x) { return static_cast<T>(std::erfc(x)); }
  static T softplus(T x) { return max(x, T(0)) + log1p(exp(-abs(x))); }
};

}
}
}  // namespace flowgraph::functor

#include <flowgraph/show_names.hpp>
