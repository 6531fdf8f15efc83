#pragma once
// Resizing of images by any method: the equivalent of tf.image.resize.
//
//   const auto small = fg::resize(images, {64, 64});  // images: [batch, rows, columns, channels]
//   const auto sharp = fg::resize(images, {64, 64}, {.method = fg::resize_method::lanczos3, .antialias = true});

#include <flowgraph/ops/image/resize_area.hpp>
#include <flowgraph/ops/image/resize_bicubic.hpp>
#include <flowgraph/ops/image/resize_bilinear.hpp>
#include <flowgraph/ops/image/resize_nearest.hpp>
#include <flowgraph/ops/image/scale_and_translate.hpp>
#include <flowgraph/ops/operators.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// How `resize` computes a pixel from the pixels around its place.
enum class resize_method : std::uint8_t { bilinear, nearest, bicubic, area, lanczos3, lanczos5, gaussian, mitchellcubic };

// Options of resize.
struct resize_options {
  resize_method method = resize_method::bilinear;  // how pixels are combined
  bool antialias = false;  // true: shrinking uses all pixels, so fine patterns disappear; not for nearest and area
};

namespace detail {

constexpr sampling_kernel kernel_of(resize_method method) {
  switch (method) {
    case resize_method::bicubic: return sampling_kernel::keyscubic;
    case resize_method::lanczos3: return sampling_kernel::lanczos3;
    case resize_method::lanczos5: return sampling_kernel::lanczos5;
    case resize_method::gaussian: return sampling_kernel::gaussian;
    case resize_method::mitchellcubic: return sampling_kernel::mitchellcubic;
    default: return sampling_kernel::triangle;
  }
}

}  // namespace detail

// Resizes images to `size`, which contains the numbers of rows and columns. Pixels are at their centers.
template <class T>
out<float> resize(const out<T>& images, const out<std::int32_t>& size, const resize_options& options = {}, site s = {}) {
  constexpr resize_attributes centered{.half_pixel_centers = true};
  switch (options.method) {
    case resize_method::nearest: {
      const out<T> y = resize_nearest_neighbor(images, size, centered, s);
      if constexpr (std::is_same_v<T, float>) return y;
      else return cast<float>(y);
    }
    case resize_method::area: return resize_area(images, size, {}, s);
    case resize_method::bilinear:
      if (!options.antialias) return resize_bilinear(images, size, centered, s);
      break;
    case resize_method::bicubic:
      if (!options.antialias) return resize_bicubic(images, size, centered, s);
      break;
    default: break;
  }
  const out<float> scale = cast<float>(size) / cast<float>(slice(shape_of<std::int32_t>(images), {1}, {2}));
  const out<float> translation =
      detail::constant_beside(images, tensor<float>({2}, {0, 0}), detail::part_of(s, "resize/translation"));
  return scale_and_translate(images, size, scale, translation, {detail::kernel_of(options.method), options.antialias}, s);
}
template <class T> out<float> resize(const out<T>& images, const shape& size, const resize_options& options = {}, site s = {}) {
  return resize(images, detail::shape_constant(images, size, detail::part_of(s, "resize/size")), options, s);
}

}  // namespace flowgraph
