#pragma once
// Patches of images and of volumes: the elements in a window become the channels of one pixel.
//
//   const auto y = fg::extract_image_patches(images, {.sizes = {3, 3}});  // [batch, rows, columns, 9 * channels]

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/reshape.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/array/transpose.hpp>
#include <flowgraph/ops/nn/window.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

shape patches_shape(shape_context& c, const window_terms& t, std::span<const std::int64_t> sizes, const shape& x);

// Adds each element of the gradient of patches to the gradient of its pixel. `op` is the op that extracts patches.
template <class Op, class T> out<T> patches_gradient(const Op& op, int axes, const out<T>& x, const out<T>& dy);

struct image_patch_attributes {
  std::vector<std::int64_t> ksizes, strides, rates;
  flowgraph::padding padding = flowgraph::padding::same;
  static constexpr auto attrs =
      flowgraph::attrs(required("ksizes", &image_patch_attributes::ksizes), required("strides", &image_patch_attributes::strides),
                       required("rates", &image_patch_attributes::rates), required("padding", &image_patch_attributes::padding));
  window_terms terms() const { return {strides, rates, {}, padding, false}; }
};
struct volume_patch_attributes {
  std::vector<std::int64_t> ksizes, strides;
  flowgraph::padding padding = flowgraph::padding::same;
  static constexpr auto attrs = flowgraph::attrs(required("ksizes", &volume_patch_attributes::ksizes),
                                                 required("strides", &volume_patch_attributes::strides),
                                                 required("padding", &volume_patch_attributes::padding));
  window_terms terms() const { return {strides, {}, {}, padding, false}; }
};

}  // namespace detail

// Returns the pixels in each window of images as channels, row by row. Pixels outside of the image are 0.
struct extract_image_patches_op : detail::image_patch_attributes {
  static constexpr std::string_view name = "ExtractImagePatches";
  using types = numbers;
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const {
    return detail::patches_shape(c, terms(), ksizes, x);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return detail::patches_gradient(*this, 2, x, dy); }
};

// Returns the elements in each window of volumes as channels, plane by plane. Elements outside of the volume are 0.
struct extract_volume_patches_op : detail::volume_patch_attributes {
  static constexpr std::string_view name = "ExtractVolumePatches";
  using types = real_numbers;
  static constexpr std::size_t moved_types = 1;

  flowgraph::shape shape(shape_context& c, const flowgraph::shape& x) const {
    return detail::patches_shape(c, terms(), ksizes, x);
  }
  template <class T> void operator()(cpu ctx, view<const T> x, view<T> y) const;
  template <class T> out<T> gradient(out<T> x, out<T>, out<T> dy) const { return detail::patches_gradient(*this, 3, x, dy); }
};

// Options of extract_image_patches: numbers for rows and columns.
struct image_patch_options {
  std::array<std::int64_t, 2> sizes{1, 1};                 // the size of a window
  std::array<std::int64_t, 2> strides{1, 1};               // the distance of windows
  std::array<std::int64_t, 2> rates{1, 1};                 // the distance of pixels in a window
  flowgraph::padding padding = flowgraph::padding::valid;  // same: only strides shrink the output; valid: no padding
};
// Options of extract_volume_patches: numbers for planes, rows and columns.
struct volume_patch_options {
  std::array<std::int64_t, 3> sizes{1, 1, 1};              // the size of a window
  std::array<std::int64_t, 3> strides{1, 1, 1};            // the distance of windows
  flowgraph::padding padding = flowgraph::padding::valid;  // same: only strides shrink the output; valid: no padding
};
// The result has the shape [batch, rows, columns, sizes[0] * sizes[1] * channels].
template <class T> out<T> extract_image_patches(const out<T>& images, const image_patch_options& o, site s = {}) {
  return apply(
      extract_image_patches_op{
          {{1, o.sizes[0], o.sizes[1], 1}, {1, o.strides[0], o.strides[1], 1}, {1, o.rates[0], o.rates[1], 1}, o.padding}},
      images, s);
}
// `volumes` has the shape [batch, planes, rows, columns, channels].
template <class T> out<T> extract_volume_patches(const out<T>& volumes, const volume_patch_options& o, site s = {}) {
  return apply(
      extract_volume_patches_op{
          {{1, o.sizes[0], o.sizes[1], o.sizes[2], 1}, {1, o.strides[0], o.strides[1], o.strides[2], 1}, o.padding}},
      volumes, s);
}

using patch_ops = type_list<extract_image_patches_op, extract_volume_patches_op>;

// The patches of an image of pixel numbers contain the pixel of each element. Numbers begin with 1, and padding is 0.
template <class Op, class T> out<T> detail::patches_gradient(const Op& op, int axes, const out<T>& x, const out<T>& dy) {
  using index = std::int32_t;
  const auto vector = [&](index n) { return constant_beside(x, tensor<index>({1}, {n})); };
  const out<index> extents = shape_of<index>(x), batch = slice(extents, {0}, {1}), depth = slice(extents, {axes + 1}, {1});
  const out<index> space = slice(extents, {1}, {axes}), count = prod(space), one = scalar_beside(x, index{1});
  const out<index> pixels = reshape(range(one, count + one, one), concat({vector(1), space, vector(1)}, 0));
  const out<index> places = reshape(apply(op, pixels), vector(-1)) - one;
  const out<T> elements = transpose(reshape(dy, concat({batch, vector(-1), depth}, 0)), shape{1, 0, 2});
  return reshape(transpose(unsorted_segment_sum(elements, places, count), shape{1, 0, 2}), extents);
}

}  // namespace flowgraph

#ifdef FLOWGRAPH_HEADER_ONLY
#include <flowgraph/ops/image/detail/patches.hpp>
#endif
