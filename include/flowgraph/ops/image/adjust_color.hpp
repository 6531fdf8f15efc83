#pragma once
// Contrast, hue and saturation of images, for example to vary the pictures of a training set.
//
//   const auto y = fg::adjust_saturation(fg::adjust_hue(images, g.constant(0.1f)), g.constant(1.5f));

#include <flowgraph/graph/apply.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape contrast_shape(shape_context& c, const shape& images, std::initializer_list<shape> scalars);
shape adjusted_shape(shape_context& c, const shape& images, const shape& scalar);
std::size_t contrast_scratch(const shape& images);

}  // namespace detail

// The older form of AdjustContrastv2: the result is limited to [min_value, max_value], and is always float.
struct adjust_contrast_op {
  static constexpr std::string_view name = "AdjustContrast";
  using types = type_list<std::uint8_t, std::int8_t, std::int16_t, std::int32_t, float, double>;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& factor, const flowgraph::shape& min,
                         const flowgraph::shape& max) const {
    return detail::contrast_shape(c, x, {factor, min, max});
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape&, const flowgraph::shape&,
                      const flowgraph::shape&) const {
    return detail::contrast_scratch(x);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> x, view<const float> factor, view<const float> min_value, view<const float> max_value,
                  view<float> y) const;
};

// Multiplies the distance of each element from the mean of its channel in its image by a factor. The last three axes are rows,
// columns and channels.
struct adjust_contrast_v2_op {
  static constexpr std::string_view name = "AdjustContrastv2";
  using types = type_list<float>;
  static constexpr op_facts facts{.not_differentiable = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& factor) const {
    return detail::contrast_shape(c, x, {factor});
  }
  std::size_t scratch(const flowgraph::shape& x, const flowgraph::shape&) const { return detail::contrast_scratch(x); }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const float> factor, view<T> y) const;
};

// Adds `delta` to the hue of each pixel: 1 is a whole turn. The last axis is red, green and blue.
struct adjust_hue_op {
  static constexpr std::string_view name = "AdjustHue";
  using types = type_list<float>;
  static constexpr op_facts facts{.not_differentiable = true, .in_place = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& delta) const {
    return detail::adjusted_shape(c, x, delta);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const float> delta, view<T> y) const;
};

// Multiplies the saturation of each pixel by a factor, and limits it to [0, 1]. The last axis is red, green and blue.
struct adjust_saturation_op {
  static constexpr std::string_view name = "AdjustSaturation";
  using types = type_list<float>;
  static constexpr op_facts facts{.not_differentiable = true, .in_place = true};

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x, const flowgraph::shape& scale) const {
    return detail::adjusted_shape(c, x, scale);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<const float> scale, view<T> y) const;
};

// `factor` is a scalar.
inline out<float> adjust_contrast(const out<float>& images, const out<float>& factor, site s = {}) {
  return apply(adjust_contrast_v2_op{}, images, factor, s);
}
// `delta` is a scalar.
inline out<float> adjust_hue(const out<float>& images, const out<float>& delta, site s = {}) {
  return apply(adjust_hue_op{}, images, delta, s);
}
// `factor` is a scalar.
inline out<float> adjust_saturation(const out<float>& images, const out<float>& factor, site s = {}) {
  return apply(adjust_saturation_op{}, images, factor, s);
}

using adjust_color_ops = type_list<adjust_contrast_op, adjust_contrast_v2_op, adjust_hue_op, adjust_saturation_op>;

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/image/detail/adjust_color.hpp>
#endif
