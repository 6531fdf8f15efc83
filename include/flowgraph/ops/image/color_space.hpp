#pragma once
// Conversion of colors between red, green and blue and hue, saturation and value.
//
//   const auto hsv = fg::rgb_to_hsv(images);  // images: [..., 3], elements in [0, 1]

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/power.hpp>
#include <flowgraph/ops/operators.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape colors_shape(shape_context& c, const shape& x);
template <class T> out<T> hsv_gradient(const out<T>& x, const out<T>& y, const out<T>& dy);

}  // namespace detail

// Converts red, green and blue, which are along the last axis, to hue, saturation and value. All are in [0, 1].
struct rgb_to_hsv_op {
  static constexpr std::string_view name = "RGBToHSV";
  using types = floating;
  static constexpr op_facts facts{.in_place = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const { return detail::colors_shape(c, x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> out<T> gradient(out<T> x, out<T> y, out<T> dy) const { return detail::hsv_gradient(x, y, dy); }
};

// Converts hue, saturation and value, which are along the last axis, to red, green and blue. All are in [0, 1].
struct hsv_to_rgb_op {
  static constexpr std::string_view name = "HSVToRGB";
  using types = floating;
  static constexpr op_facts facts{.not_differentiable = true, .in_place = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const { return detail::colors_shape(c, x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
};

// The last axis of the images has three elements.
template <class T> out<T> rgb_to_hsv(const out<T>& images, site s = {}) { return apply(rgb_to_hsv_op{}, images, s); }
// The last axis of the images has three elements.
template <class T> out<T> hsv_to_rgb(const out<T>& images, site s = {}) { return apply(hsv_to_rgb_op{}, images, s); }

using color_space_ops = type_list<rgb_to_hsv_op, hsv_to_rgb_op>;

}  // namespace flowgraph

#include <flowgraph/ops/image/detail/color_space_gradient.hpp>
#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/image/detail/color_space.hpp>
#endif
