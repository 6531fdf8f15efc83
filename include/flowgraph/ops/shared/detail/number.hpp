#pragma once
// Functors over what is neither a float nor a double: integers that wrap around, and complex numbers.

#include <flowgraph/core/type.hpp>
#include <flowgraph/ops/kernel/scalar.hpp>

#include <complex>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// An integer whose arithmetic wraps around, as TensorFlow's does, where that of C++ would be undefined.
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

// What a functor is applied to for elements of type T, other than halves, and back.
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

template <class T> inline constexpr bool is_half = std::is_same_v<T, half> || std::is_same_v<T, bfloat16>;

// What numbers of type T are computed in.
template <class T> using computed = std::conditional_t<is_half<T>, float, T>;
template <class T> inline constexpr bool is_complex = std::is_same_v<T, complex64> || std::is_same_v<T, complex128>;

}  // namespace detail

namespace functor {

template <class T> struct functions<detail::wrapping<T>> {
  using number = detail::wrapping<T>;
  static constexpr number select(bool condition, number a, number b) { return condition ? a : b; }
  static constexpr number max(number a, number b) { return a > b ? a : b; }
  static constexpr number min(number a, number b) { return a < b ? a : b; }
  static constexpr number abs(number x) { return x < number(T{}) ? -x : x; }
  static constexpr number rint(number x) { return x; }
};

template <class R> struct functions<std::complex<R>> {
  using number = std::complex<R>;
  static number select(bool condition, number a, number b) { return condition ? a : b; }
  static number sqrt(number x) { return std::sqrt(x); }
  static number exp(number x) { return std::exp(x); }
  static number log(number x) { return std::log(x); }
  static number tanh(number x) { return std::tanh(x); }
  static number sigmoid(number x) { return R(1) / (R(1) + std::exp(-x)); }
  // |1 + x|^2 - 1 without the cancellation that adding 1 would bring.
  static number log1p(number x) {
    const R square = x.real() * (x.real() + R(2)) + x.imag() * x.imag();
    return {R(0.5) * std::log1p(square), std::atan2(x.imag(), x.real() + R(1))};
  }
  static number expm1(number x) {
    const R half_sine = std::sin(x.imag() / R(2));
    return {std::expm1(x.real()) * std::cos(x.imag()) - R(2) * half_sine * half_sine, std::exp(x.real()) * std::sin(x.imag())};
  }
};

}  // namespace functor

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
