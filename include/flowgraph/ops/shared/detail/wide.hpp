#pragma once
// The types of sums of elements: float for halves, unsigned bits for integers, so that they wrap around.

#include <flowgraph/ops/shared/detail/number.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class T> struct wide_number {
  using type = T;
};
template <class T>
  requires std::is_integral_v<T> struct wide_number<T> {
  using type = typename wrapping<T>::bits;
};
template <class T>
  requires is_half<T> struct wide_number<T> {
  using type = float;
};
template <class T> using wide = typename wide_number<T>::type;

template <class T> constexpr wide<T> widened(T x) { return static_cast<wide<T>>(x); }
template <class T> constexpr T narrowed(wide<T> x) {
  if constexpr (is_half<T>) return T(x);
  else return static_cast<T>(x);
}

template <class T> void add_in_place(T& to, T x) { to = narrowed<T>(static_cast<wide<T>>(widened(to) + widened(x))); }

template <class T> bool is_larger(T a, T b) {
  if constexpr (is_half<T>) return static_cast<float>(a) > static_cast<float>(b);
  else return a > b;
}

// The finite extremes.
template <class T> constexpr T least_finite() {
  if constexpr (std::is_same_v<T, half>) return T::from_bits(0xfbff);
  else if constexpr (std::is_same_v<T, bfloat16>) return T::from_bits(0xff7f);
  else return std::numeric_limits<T>::lowest();
}
template <class T> constexpr T largest_finite() {
  if constexpr (is_half<T>) return T(-static_cast<float>(least_finite<T>()));
  else return std::numeric_limits<T>::max();
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
