#pragma once
// Numbers for functors: integers that wrap around, and the functions of floats, integers and complex numbers. Functors call libm
// only through this header.
//
// This is the only header of the folder that includes headers of the standard library. Files that are compiled for one
// instruction-set level never include it.

#include <flowgraph/functors/functions.hpp>

#include <cmath>
#include <compare>
#include <complex>
#include <limits>
#include <type_traits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// An integer whose arithmetic wraps around, as in TensorFlow, where C++ would have undefined behaviour.
template <class T> struct wrapping {
  // Wide enough that no promotion makes it signed.
  using bits = std::conditional_t<sizeof(T) < sizeof(unsigned), unsigned, std::make_unsigned_t<T>>;
  T value;

  constexpr wrapping(T x) : value(x) {}
  static constexpr wrapping of_bits(bits x) { return wrapping(static_cast<T>(x)); }
  constexpr bits as_bits() const { return static_cast<bits>(value); }

  friend constexpr wrapping operator+(wrapping a, wrapping b) { return of_bits(a.as_bits() + b.as_bits()); }
  friend constexpr wrapping operator-(wrapping a, wrapping b) { return of_bits(a.as_bits() - b.as_bits()); }
  friend constexpr wrapping operator*(wrapping a, wrapping b) { return of_bits(a.as_bits() * b.as_bits()); }
  friend constexpr wrapping operator-(wrapping a) { return of_bits(bits{} - a.as_bits()); }
  // Toward zero. By zero: zero, after the op has refused.
  friend constexpr wrapping operator/(wrapping a, wrapping b) {
    if (b.value == 0) return T{};
    if constexpr (std::is_signed_v<T>)
      if (b.value == T(-1)) return -a;
    return static_cast<T>(a.value / b.value);
  }
  friend constexpr auto operator<=>(wrapping a, wrapping b) = default;
};

// Converts elements of type T, other than halves, to the type that functors take, and back.
template <class T> struct number {
  using type = std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, wrapping<T>, T>;
  static constexpr T value(const type& x) {
    if constexpr (std::is_same_v<type, T>) return x;
    else return x.value;
  }
};
template <> struct number<bool> {
  using type = bool;
  static constexpr bool value(bool x) { return x; }
};

}  // namespace detail

namespace functor {

template <class T>
  requires std::is_arithmetic_v<T> struct functions<T> {
  static constexpr T epsilon = std::numeric_limits<T>::epsilon(), highest = std::numeric_limits<T>::max();
  static constexpr T infinity = std::numeric_limits<T>::infinity(), undefined = std::numeric_limits<T>::quiet_NaN();

  FLOWGRAPH_ALWAYS_INLINE static constexpr T select(bool condition, T a, T b) { return condition ? a : b; }
  FLOWGRAPH_ALWAYS_INLINE static constexpr T max(T a, T b) { return a > b || a != a ? a : b; }  // NaN if either is NaN
  FLOWGRAPH_ALWAYS_INLINE static constexpr T min(T a, T b) { return a < b || a != a ? a : b; }
  FLOWGRAPH_ALWAYS_INLINE static constexpr T abs(T x) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::signbit(x) ? -x : x;
    } else if constexpr (std::is_signed_v<T>) {
      using bits = std::make_unsigned_t<T>;
      return x < 0 ? static_cast<T>(static_cast<bits>(bits(0) - static_cast<bits>(x))) : x;  // the lowest number is unchanged
    } else {
      return x;
    }
  }
  FLOWGRAPH_ALWAYS_INLINE static T floor(T x) { return std::is_integral_v<T> ? x : static_cast<T>(std::floor(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T rint(T x) { return std::is_integral_v<T> ? x : static_cast<T>(std::nearbyint(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T sqrt(T x) { return static_cast<T>(std::sqrt(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T exp(T x) { return static_cast<T>(std::exp(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T log(T x) { return static_cast<T>(std::log(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T log1p(T x) { return static_cast<T>(std::log1p(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T expm1(T x) { return static_cast<T>(std::expm1(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T tanh(T x) { return static_cast<T>(std::tanh(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T sigmoid(T x) {
    const T e = exp(-abs(x));
    return (x < 0 ? e : T(1)) / (e + 1);
  }
  FLOWGRAPH_ALWAYS_INLINE static T erf(T x) { return static_cast<T>(std::erf(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T erfc(T x) { return static_cast<T>(std::erfc(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T softplus(T x) { return max(x, T(0)) + log1p(exp(-abs(x))); }
  FLOWGRAPH_ALWAYS_INLINE static T trunc(T x) { return static_cast<T>(std::trunc(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T sin(T x) { return static_cast<T>(std::sin(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T cos(T x) { return static_cast<T>(std::cos(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T tan(T x) { return static_cast<T>(std::tan(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T asin(T x) { return static_cast<T>(std::asin(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T acos(T x) { return static_cast<T>(std::acos(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T atan(T x) { return static_cast<T>(std::atan(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T sinh(T x) { return static_cast<T>(std::sinh(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T cosh(T x) { return static_cast<T>(std::cosh(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T asinh(T x) { return static_cast<T>(std::asinh(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T acosh(T x) { return static_cast<T>(std::acosh(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T atanh(T x) { return static_cast<T>(std::atanh(x)); }
  FLOWGRAPH_ALWAYS_INLINE static T atan2(T y, T x) { return static_cast<T>(std::atan2(y, x)); }
  FLOWGRAPH_ALWAYS_INLINE static T pow(T x, T y) { return static_cast<T>(std::pow(x, y)); }
  FLOWGRAPH_ALWAYS_INLINE static T next_after(T x, T towards) { return static_cast<T>(std::nextafter(x, towards)); }
  FLOWGRAPH_ALWAYS_INLINE static T divide(T x, T y) { return static_cast<T>(x / y); }
  FLOWGRAPH_ALWAYS_INLINE static T remainder(T x, T y) { return static_cast<T>(std::fmod(x, y)); }  // x - y trunc(x / y)
  // std::lgamma would write the sign to a variable of all threads.
  FLOWGRAPH_ALWAYS_INLINE static T log_gamma(T x) {
#if (defined(__linux__) || defined(__APPLE__)) && !defined(__CUDA_ARCH__)
    int sign = 0;
    if constexpr (std::is_same_v<T, float>) return ::lgammaf_r(x, &sign);
    else return ::lgamma_r(x, &sign);
#else
    return std::lgamma(x);
#endif
  }
};

template <class T> struct functions<detail::wrapping<T>> {
  using number = detail::wrapping<T>;
  FLOWGRAPH_ALWAYS_INLINE static constexpr number select(bool condition, number a, number b) { return condition ? a : b; }
  FLOWGRAPH_ALWAYS_INLINE static constexpr number max(number a, number b) { return a > b ? a : b; }
  FLOWGRAPH_ALWAYS_INLINE static constexpr number min(number a, number b) { return a < b ? a : b; }
  FLOWGRAPH_ALWAYS_INLINE static constexpr number abs(number x) { return x < number(T{}) ? -x : x; }
  FLOWGRAPH_ALWAYS_INLINE static constexpr number rint(number x) { return x; }
  FLOWGRAPH_ALWAYS_INLINE static constexpr number remainder(number x, number y) { return x - (x / y) * y; }
};

template <class R> struct functions<std::complex<R>> {
  using number = std::complex<R>;
  FLOWGRAPH_ALWAYS_INLINE static number select(bool condition, number a, number b) { return condition ? a : b; }
  FLOWGRAPH_ALWAYS_INLINE static number sqrt(number x) { return std::sqrt(x); }
  FLOWGRAPH_ALWAYS_INLINE static number exp(number x) { return std::exp(x); }
  FLOWGRAPH_ALWAYS_INLINE static number log(number x) { return std::log(x); }
  FLOWGRAPH_ALWAYS_INLINE static number tanh(number x) { return std::tanh(x); }
  FLOWGRAPH_ALWAYS_INLINE static number sigmoid(number x) { return R(1) / (R(1) + std::exp(-x)); }
  FLOWGRAPH_ALWAYS_INLINE static number conj(number x) { return std::conj(x); }
  FLOWGRAPH_ALWAYS_INLINE static R abs(number x) { return std::abs(x); }
  FLOWGRAPH_ALWAYS_INLINE static R arg(number x) { return std::arg(x); }
  FLOWGRAPH_ALWAYS_INLINE static number sin(number x) { return std::sin(x); }
  FLOWGRAPH_ALWAYS_INLINE static number cos(number x) { return std::cos(x); }
  FLOWGRAPH_ALWAYS_INLINE static number tan(number x) { return std::tan(x); }
  FLOWGRAPH_ALWAYS_INLINE static number asin(number x) { return std::asin(x); }
  FLOWGRAPH_ALWAYS_INLINE static number acos(number x) { return std::acos(x); }
  FLOWGRAPH_ALWAYS_INLINE static number atan(number x) { return std::atan(x); }
  FLOWGRAPH_ALWAYS_INLINE static number sinh(number x) { return std::sinh(x); }
  FLOWGRAPH_ALWAYS_INLINE static number cosh(number x) { return std::cosh(x); }
  FLOWGRAPH_ALWAYS_INLINE static number asinh(number x) { return std::asinh(x); }
  FLOWGRAPH_ALWAYS_INLINE static number acosh(number x) { return std::acosh(x); }
  FLOWGRAPH_ALWAYS_INLINE static number atanh(number x) { return std::atanh(x); }
  FLOWGRAPH_ALWAYS_INLINE static number pow(number x, number y) { return std::pow(x, y); }
  // |1 + x|^2 - 1 without the cancellation that adding 1 would bring.
  FLOWGRAPH_ALWAYS_INLINE static number log1p(number x) {
    if (std::abs(x.real()) > R(4) || std::abs(x.imag()) > R(4)) return std::log(x + R(1));  // the square could overflow
    const R square = x.real() * (x.real() + R(2)) + x.imag() * x.imag();
    return {R(0.5) * std::log1p(square), std::atan2(x.imag(), x.real() + R(1))};
  }
  FLOWGRAPH_ALWAYS_INLINE static number expm1(number x) {
    const R half_sine = std::sin(x.imag() / R(2));
    return {std::expm1(x.real()) * std::cos(x.imag()) - R(2) * half_sine * half_sine, std::exp(x.real()) * std::sin(x.imag())};
  }
};

}  // namespace functor

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
