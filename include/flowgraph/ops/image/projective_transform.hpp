#pragma once
// Images that are turned, moved, scaled or seen from another side.
//
//   const auto y = fg::projective_transform(images, transforms, {64, 64});  // transforms: [batch, 8] or [1, 8]

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/linear_algebra/inverse.hpp>
#include <flowgraph/ops/operators.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

using transformed_types =
    type_attrs<type_attr<"dtype", type_list<std::uint8_t, std::int32_t, std::int64_t, half, bfloat16, float, double>>>;

shape transformed_shape(shape_context& c, const shape& images, const shape& transforms, const shape& size, const shape& fill);

// The transforms that undo the given transforms. Each is a matrix with 3 rows whose last element, 1, is left out.
inline out<float> inverse_transforms(const out<float>& transforms) {
  const out<float> ones = ones_like(slice(transforms, {0, 0}, {-1, 1}));
  const out<float> flat = reshape(inverse(reshape(concat({transforms, ones}, 1), {-1, 3, 3})), {-1, 9});
  return slice(flat / slice(flat, {0, 8}, {-1, 1}), {0, 0}, {-1, 8});
}
template <class T> out<std::int32_t> rows_and_columns(const out<T>& images) {
  return slice(shape_of<std::int32_t>(images), {1}, {2});
}

}  // namespace detail

// The interpolation is NEAREST or BILINEAR. For places outside of the image, the fill mode CONSTANT uses fill_value, REFLECT mirrors
// the image, WRAP repeats it, and NEAREST uses its edge.
struct transform_attributes {
  std::string interpolation = {}, fill_mode = "CONSTANT";
  static constexpr auto attrs = flowgraph::attrs(required("interpolation", &transform_attributes::interpolation),
                                                 attr("fill_mode", &transform_attributes::fill_mode));
};

// Computes each pixel (x, y) of the result from the place ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) of the image; k is
// c0 x + c1 y + 1. A transform is a row [a0, a1, a2, b0, b1, b2, c0, c1]. The interpolation is NEAREST or BILINEAR. For places
// outside of the image, the fill mode CONSTANT uses fill_value, REFLECT mirrors the image, WRAP repeats it, and NEAREST uses its
// edge.
struct image_projective_transform_v3_op : transform_attributes {
  static constexpr std::string_view name = "ImageProjectiveTransformV3";
  using types = detail::transformed_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(2);

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& images, const flowgraph::shape& transforms,
                         const flowgraph::shape& size, const flowgraph::shape& fill) const {
    return detail::transformed_shape(c, images, transforms, size, fill);
  }
  template <class T>
  void operator()(cpu ctx, view<const T> images, view<const float> transforms, view<const std::int32_t> size,
                  view<const float> fill_value, view<T> y) const;
  // As in TensorFlow, the gradient is the gradient image transformed back.
  template <class T>
  std::tuple<out<T>, none_type, none_type, none_type> gradient(out<T> images, out<float> transforms, out<std::int32_t>,
                                                               out<float>, out<T>, out<T> dy) const {
    return {
        apply(site{}, image_projective_transform_v3_op{{interpolation, fill_mode}}, dy, detail::inverse_transforms(transforms),
              detail::rows_and_columns(images), detail::constant_beside(images, tensor<float>(0.0f))),
        none, none, none};
  }
};

// Transforms images like ImageProjectiveTransformV3, with the fill value 0.
struct image_projective_transform_v2_op : transform_attributes {
  static constexpr std::string_view name = "ImageProjectiveTransformV2";
  using types = detail::transformed_types;
  static constexpr auto host_inputs = flowgraph::host_inputs(2);

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& images, const flowgraph::shape& transforms,
                         const flowgraph::shape& size) const {
    return detail::transformed_shape(c, images, transforms, size, {});
  }
  template <class T>
  void operator()(cpu ctx, view<const T> images, view<const float> transforms, view<const std::int32_t> size, view<T> y) const;
  template <class T>
  gradients_of<T, 3> gradient(out<T> images, out<float> transforms, out<std::int32_t>, out<T>, out<T> dy) const {
    return {{apply(image_projective_transform_v2_op{{interpolation, fill_mode}}, dy, detail::inverse_transforms(transforms),
                   detail::rows_and_columns(images)),
             none, none}};
  }
};

// Options of projective_transform.
struct transform_options {
  std::string interpolation = "BILINEAR";  // or "NEAREST"
  std::string fill_mode = "CONSTANT";      // or "REFLECT", "WRAP" or "NEAREST"
  float fill_value = 0;                    // the value of places outside of the image, if the fill mode is CONSTANT
};
// `transforms` contains a row of 8 numbers per image, or one row for all images. `size` contains the numbers of rows and columns.
template <class T>
out<T> projective_transform(const out<T>& images, const out<float>& transforms, const out<std::int32_t>& size,
                            const transform_options& options = {}, site s = {}) {
  const auto fill = detail::constant_beside(images, tensor<float>(options.fill_value));
  return apply(image_projective_transform_v3_op{{options.interpolation, options.fill_mode}}, images, transforms, size, fill, s);
}
template <class T>
out<T> projective_transform(const out<T>& images, const out<float>& transforms, const shape& size,
                            const transform_options& options = {}, site s = {}) {
  const auto extents = detail::shape_constant(images, size, detail::part_of(s, "ImageProjectiveTransformV3/size"));
  return projective_transform(images, transforms, extents, options, s);
}

using projective_transform_ops = type_list<image_projective_transform_v3_op, image_projective_transform_v2_op>;

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/image/detail/projective_transform.hpp>
#endif
