#pragma once
// Conversions of one color.

#include <flowgraph/config.hpp>

#include <algorithm>
#include <cstdint>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline constexpr std::int64_t pixels_per_block = 1 << 12;

template <class T> struct color {
  T part[3];  // red, green and blue, or hue, saturation and value
};

// A number of half precision. Each operation rounds its result, as in TensorFlow.
template <class T> struct rounded_number {
  float value;

  explicit rounded_number(T x) : value(static_cast<float>(x)) {}
  explicit rounded_number(int x) : value(static_cast<float>(x)) {}
  explicit operator T() const { return T(value); }

  friend rounded_number operator+(rounded_number a, rounded_number b) { return rounded_number(T(a.value + b.value)); }
  friend rounded_number operator-(rounded_number a, rounded_number b) { return rounded_number(T(a.value - b.value)); }
  friend rounded_number operator*(rounded_number a, rounded_number b) { return rounded_number(T(a.value * b.value)); }
  friend rounded_number operator/(rounded_number a, rounded_number b) { return rounded_number(T(a.value / b.value)); }
  friend bool operator==(rounded_number a, rounded_number b) { return a.value == b.value; }
  friend bool operator<(rounded_number a, rounded_number b) { return a.value < b.value; }
};

template <class T> color<T> hsv_of(const color<T>& c) {
  const auto larger = [](const T& x, const T& y) { return y < x ? x : y; };  // the second one if one is NaN, as in TensorFlow
  const auto smaller = [](const T& x, const T& y) { return x < y ? x : y; };
  const T r = c.part[0], g = c.part[1], b = c.part[2], value = larger(larger(r, g), b), zero(0);
  const T range = value - smaller(smaller(r, g), b), norm = T(1) / range * (T(1) / T(6));
  T hue = r == value ? norm * (g - b) : g == value ? norm * (b - r) + T(2) / T(6) : norm * (r - g) + T(4) / T(6);
  if (!(zero < range)) hue = zero;
  if (hue < zero) hue = hue + T(1);
  return {{hue, zero < value ? range / value : zero, value}};
}

template <class T> color<T> rgb_of(const color<T>& c) {
  const T place = c.part[0] * T(6), rest = T(1) - c.part[1];
  const auto distance = [&](int from) { return std::max(place - T(from), T(from) - place); };
  const auto result = [&](T share) { return (rest + c.part[1] * std::min(std::max(share, T(0)), T(1))) * c.part[2]; };
  return {{result(distance(3) - T(1)), result(T(2) - distance(2)), result(T(2) - distance(4))}};
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
