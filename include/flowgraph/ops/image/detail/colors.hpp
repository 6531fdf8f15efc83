#pragma once
// Conversions of one color.

#include <flowgraph/config.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

inline constexpr std::int64_t pixels_per_block = 1 << 12;

template <class T> struct color {
  T part[3];  // red, green and blue, or hue, saturation and value
};

template <class T> color<T> hsv_of(const color<T>& c) {
  const T r = c.part[0], g = c.part[1], b = c.part[2], value = std::max(std::max(r, g), b);
  const T range = value - std::min(std::min(r, g), b), norm = T(1) / range * (T(1) / T(6));
  T hue = r == value ? norm * (g - b) : g == value ? norm * (b - r) + T(2) / T(6) : norm * (r - g) + T(4) / T(6);
  if (!(range > 0)) hue = 0;
  if (hue < 0) hue += 1;
  return {{hue, value > 0 ? range / value : T(0), value}};
}

template <class T> color<T> rgb_of(const color<T>& c) {
  const T place = c.part[0] * T(6), rest = T(1) - c.part[1];
  const auto made = [&](T share) { return (rest + c.part[1] * std::min(std::max(share, T(0)), T(1))) * c.part[2]; };
  return {{made(std::abs(place - 3) - 1), made(2 - std::abs(place - 2)), made(2 - std::abs(place - 4))}};
}

}  // namespace detail

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
