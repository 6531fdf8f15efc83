#pragma once

#include <flowgraph/ops/image/projective_transform.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape transformed_shape(shape_context& c, const shape& x, const shape& transforms,
                                                               const shape& size, const shape& fill) {
  const shape four = shape::unknown_of_rank(4);
  if (!fits(x, four)) return c.fail("images must have four axes");
  if (!fits(transforms, shape{any, 8})) return c.fail("transforms must have two axes, and eight columns");
  const shape images = merged(x, four);
  if (const std::int64_t rows = transforms.has_rank() ? transforms[0] : -1;
      rows >= 0 && rows != 1 && images[0] >= 0 && rows != images[0])
    return c.fail(message{"transforms must have 1 row or a row for each of ", images[0], " images, found ", rows});
  if (!fits(fill, {})) return c.fail("fill_value must be a scalar");
  const shape given = vector_of_integers(c, 2, size, "output_shape", 2);
  if (c.failed()) return shape::unknown();
  if (given.rank != 2) return {images[0], -1, -1, images[3]};
  if (given[0] <= 0 || given[1] <= 0) return c.fail(message{"output_shape must be positive, found ", given});
  return {images[0], given[0], given[1], images[3]};
}

enum class fill_method : std::uint8_t { constant, reflect, wrap, nearest };
inline fill_method fill_method_of(std::string_view mode) {  // as in TensorFlow, other names mean CONSTANT
  if (mode == "REFLECT") return fill_method::reflect;
  if (mode == "WRAP") return fill_method::wrap;
  return mode == "NEAREST" ? fill_method::nearest : fill_method::constant;
}

// Returns the whole part of a number, as the least integer if no integer represents it.
inline std::int64_t whole_part(float x) {
  return x >= -9223372036854775808.0f && x < 9223372036854775808.0f ? static_cast<std::int64_t>(x)
                                                                    : std::numeric_limits<std::int64_t>::lowest();
}
template <class T> T pixel_of(float x) {
  if constexpr (!std::is_integral_v<T>) return static_cast<T>(x);
  else {
    const std::int64_t whole = whole_part(x);
    constexpr auto low = static_cast<std::int64_t>(std::numeric_limits<std::int32_t>::lowest());
    if constexpr (sizeof(T) == 8) return whole;
    else return static_cast<T>(whole < low || whole > std::numeric_limits<std::int32_t>::max() ? low : whole);
  }
}

// Returns the place in the image of a place outside of [0, size - 1]. A NaN stays unchanged.
inline float reflected_place(float at, std::int64_t size) {
  const float length = static_cast<float>(size), twice = static_cast<float>(2 * size);
  if (at < 0) {
    if (size <= 1) return 0;
    if (at < twice) at = twice * static_cast<float>(whole_part(-at / twice)) + at;
    return at < -length ? at + twice : -at - 1;
  }
  if (size <= 1) return 0;
  at -= twice * static_cast<float>(whole_part(at / twice));
  return at >= length ? twice - at - 1 : at;
}
inline float wrapped_place(float at, std::int64_t size) {
  if (size <= 1) return 0;
  const float length = static_cast<float>(size), last = static_cast<float>(size - 1);
  if (at < 0) return at + length * (static_cast<float>(whole_part(-at / last)) + 1);
  return at - length * static_cast<float>(whole_part(at / last));
}
inline float place_in_image(fill_method method, float at, std::int64_t size) {
  if (method == fill_method::constant) return at;
  const float last = static_cast<float>(size - 1);
  if (method != fill_method::nearest && (at < 0 || at > last))
    at = method == fill_method::reflect ? reflected_place(at, size) : wrapped_place(at, size);
  return at < 0 ? std::min(0.0f, last) : at > last ? last : at;
}

// An image, whose pixels outside are the fill value.
template <class T> struct filled_image {
  const T* pixels;
  std::int64_t rows, columns, depth;
  T fill;

  T at(std::int64_t row, std::int64_t column, std::int64_t channel) const {
    if (row < 0 || row >= rows || column < 0 || column >= columns) return fill;
    return pixels[(row * columns + column) * depth + channel];
  }
  void nearest(float y, float x, T* to) const {
    const std::int64_t row = whole_part(std::round(y)), column = whole_part(std::round(x));
    for (std::int64_t c = 0; c < depth; ++c) to[c] = at(row, column, c);
  }
  void bilinear(float y, float x, T* to) const {
    const float top = std::floor(y), left = std::floor(x), bottom = top + 1, right = left + 1;
    const std::int64_t row = whole_part(top), below = whole_part(bottom), column = whole_part(left), beside = whole_part(right);
    const auto read = [this](std::int64_t r, std::int64_t k, std::int64_t c) { return static_cast<float>(at(r, k, c)); };
    for (std::int64_t c = 0; c < depth; ++c) {
      const float above = (right - x) * read(row, column, c) + (x - left) * read(row, beside, c);
      const float under = (right - x) * read(below, column, c) + (x - left) * read(below, beside, c);
      to[c] = pixel_of<T>((bottom - y) * above + (y - top) * under);
    }
  }
};

template <class T>
void transform_images(cpu ctx, std::string_view interpolation, std::string_view fill_mode, view<const T> images,
                      view<const float> transforms, float fill, view<T> y) {
  const bool is_bilinear = interpolation == "BILINEAR", is_known = is_bilinear || interpolation == "NEAREST";
  const fill_method method = fill_method_of(fill_mode);
  const std::int64_t rows = y.dim(1), columns = y.dim(2), depth = y.dim(3), size = images.dim(1) * images.dim(2) * depth;
  if (y.size() == 0) return;
  const std::int64_t grain = std::max<std::int64_t>(1, (1 << 12) / (columns * depth));
  ctx.parallel_ranges(y.dim(0) * rows, grain, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t line = first; line < last; ++line) {
      const std::int64_t number = line / rows;
      const float* const t = transforms.data() + (transforms.dim(0) == 1 ? 0 : number * 8);
      const filled_image<T> image{images.data() + number * size, images.dim(1), images.dim(2), depth, pixel_of<T>(fill)};
      const auto row = static_cast<float>(line % rows);
      T* to = y.data() + line * columns * depth;
      for (std::int64_t i = 0; i < columns; ++i, to += depth) {
        const auto column = static_cast<float>(i);
        const float k = t[6] * column + t[7] * row + 1;
        if (k == 0 || !is_known) {  // an unknown interpolation makes zeros, as in TensorFlow
          std::fill_n(to, depth, k == 0 ? image.fill : T(0));
          continue;
        }
        const float x_at = place_in_image(method, (t[0] * column + t[1] * row + t[2]) / k, image.columns);
        const float y_at = place_in_image(method, (t[3] * column + t[4] * row + t[5]) / k, image.rows);
        if (is_bilinear) image.bilinear(y_at, x_at, to);
        else image.nearest(y_at, x_at, to);
      }
    }
  });
}

}  // namespace detail

template <class T>
void image_projective_transform_v3_op::operator()(cpu ctx, view<const T> images, view<const float> transforms,
                                                  view<const std::int32_t>, view<const float> fill_value, view<T> y) const {
  detail::transform_images(ctx, interpolation, fill_mode, images, transforms, fill_value.scalar(), y);
}

template <class T>
void image_projective_transform_v2_op::operator()(cpu ctx, view<const T> images, view<const float> transforms,
                                                  view<const std::int32_t>, view<T> y) const {
  detail::transform_images(ctx, interpolation, fill_mode, images, transforms, 0.0f, y);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
