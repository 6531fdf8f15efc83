#pragma once

#include <flowgraph/ops/image/crop_and_resize.hpp>
#include <flowgraph/ops/image/detail/resize_axis.hpp>
#include <flowgraph/ops/image/detail/resize_rules.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/shared/detail/wide.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns the number of boxes; -1 if it is not known.
FLOWGRAPH_COLD inline std::int64_t count_of_boxes(shape_context& c, const shape& boxes, const shape& indices) {
  if (!fits(boxes, shape{any, 4})) c.fail("boxes must have two axes, and four columns");
  else if (!fits(indices, shape{any})) c.fail("box_ind must be a vector");
  else if (boxes.has_rank() && indices.has_rank() && !fits(shape{boxes[0]}, indices))
    c.fail("box_ind must have one element per box");
  if (c.failed()) return -1;
  return boxes.has_rank() && boxes[0] >= 0 ? boxes[0] : indices.has_rank() ? indices[0] : -1;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape crops_shape(shape_context& c, const shape& x, const shape& boxes,
                                                         const shape& indices, const shape& size) {
  const shape images = images_of(c, x, "image");
  if (c.failed()) return shape::unknown();
  const std::int64_t count = count_of_boxes(c, boxes, indices);
  if (c.failed()) return shape::unknown();
  shape given = vector_of_integers(c, 3, size, "crop_size", 2);
  if (c.failed()) return shape::unknown();
  if (given.rank != 2) given = shape::unknown_of_rank(2);
  else if (given[0] <= 0 || given[1] <= 0) return c.fail(message{"crop_size must be positive, found ", given});
  return shape{count, given[0], given[1], images[3]};
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape crop_image_gradient_shape(shape_context& c, const shape& dy, const shape& boxes,
                                                                       const shape& indices, const shape& size) {
  const shape crops = images_of(c, dy, "grads");
  if (c.failed()) return shape::unknown();
  const std::int64_t count = count_of_boxes(c, boxes, indices);
  if (c.failed()) return shape::unknown();
  if (!fits(shape{crops[0]}, shape{count})) return c.fail("grads must have one crop per box");
  const shape given = vector_of_integers(c, 3, size, "image_size", 4);
  if (c.failed()) return shape::unknown();
  if (given.rank != 4) return shape{-1, -1, -1, crops[3]};
  if (given[0] < 0 || given[1] <= 0 || given[2] <= 0) return c.fail(message{"image_size must be positive, found ", given});
  if (!fits(shape{crops[3]}, shape{given[3]})) return c.fail("grads must have as many channels as image_size says");
  return given;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape crop_boxes_gradient_shape(shape_context& c, crop_method method, const shape& dy,
                                                                       const shape& x, const shape& boxes, const shape& indices) {
  if (method != crop_method::bilinear) return c.fail("method must be bilinear");
  const shape crops = images_of(c, dy, "grads");
  if (c.failed()) return shape::unknown();
  const shape images = images_of(c, x, "image");
  if (c.failed()) return shape::unknown();
  const std::int64_t count = count_of_boxes(c, boxes, indices);
  if (c.failed()) return shape::unknown();
  if (!fits(shape{crops[0]}, shape{count})) return c.fail("grads must have one crop per box");
  if (!fits(shape{crops[3]}, shape{images[3]})) return c.fail("grads must have as many channels as the images");
  return shape{count < 0 ? crops[0] : count, 4};
}

// One axis of a crop of `count` pixels, between `first` and `last`, of an image of `pixels` pixels.
struct crop_axis {
  float first, last;
  std::int64_t pixels, count;
  float step;

  crop_axis(float from, float to, std::int64_t pixels_of_image, std::int64_t pixels_of_crop)
      : first(from), last(to), pixels(pixels_of_image), count(pixels_of_crop),
        step(count > 1 ? (last - first) * static_cast<float>(pixels - 1) / static_cast<float>(count - 1) : 0.0f) {}

  float place(std::int64_t i) const {
    if (count > 1) return first * static_cast<float>(pixels - 1) + static_cast<float>(i) * step;
    return static_cast<float>(0.5 * static_cast<double>(first + last) * static_cast<double>(pixels - 1));
  }
  bool is_inside(float at) const { return at >= 0 && at <= static_cast<float>(pixels - 1); }  // false for NaN
};

struct crop_point {
  std::int64_t lower, upper;
  float share;
  crop_point(const crop_axis& axis, float at) {
    lower = static_cast<std::int64_t>(std::floor(at));
    upper = std::min(static_cast<std::int64_t>(std::ceil(at)), axis.pixels - 1);
    lower = std::min(lower, axis.pixels - 1);
    share = at - static_cast<float>(lower);
  }
};
inline std::int64_t nearest_point(const crop_axis& axis, float at) {
  return std::min(static_cast<std::int64_t>(std::round(at)), axis.pixels - 1);
}

struct box_axes {
  crop_axis rows, columns;
  box_axes(const float* box, const shape& images, const shape& crops)
      : rows(box[0], box[2], images[1], crops[1]), columns(box[1], box[3], images[2], crops[2]) {}
};

FLOWGRAPH_COLD inline bool are_images(cpu ctx, view<const std::int32_t> indices, std::int64_t images) {
  for (const std::int32_t i : indices) {
    if (i >= 0 && i < images) continue;
    ctx.fail(error_code::out_of_range, message{"box_ind must be in [0, ", images, "), found ", i});
    return false;
  }
  return true;
}

template <class T>
void blend_pixels(const T* top, const T* bottom, const crop_point& x, float share, std::int64_t depth, float* y) {
  const std::int64_t left = x.lower * depth, right = x.upper * depth;
  for (std::int64_t c = 0; c < depth; ++c) {
    const auto a = static_cast<float>(top[left + c]), b = static_cast<float>(bottom[left + c]);
    const float above = a + (static_cast<float>(top[right + c]) - a) * x.share;
    const float below = b + (static_cast<float>(bottom[right + c]) - b) * x.share;
    y[c] = above + (below - above) * share;
  }
}

// Computes one row of a crop from an image.
template <class T>
void crop_row(const crop_attributes& a, const box_axes& box, std::int64_t row, const T* image, std::int64_t depth, float* y) {
  const float at = box.rows.place(row);
  const std::int64_t count = box.columns.count, width = box.columns.pixels * depth;
  if (!box.rows.is_inside(at)) {
    std::fill_n(y, count * depth, a.extrapolation_value);
    return;
  }
  const crop_point rows(box.rows, at);
  const T* const nearest = image + nearest_point(box.rows, at) * width;
  for (std::int64_t i = 0; i < count; ++i, y += depth) {
    const float x = box.columns.place(i);
    if (!box.columns.is_inside(x)) std::fill_n(y, depth, a.extrapolation_value);
    else if (a.method == crop_method::bilinear)
      blend_pixels(image + rows.lower * width, image + rows.upper * width, crop_point(box.columns, x), rows.share, depth, y);
    else {
      const T* const pixel = nearest + nearest_point(box.columns, x) * depth;
      for (std::int64_t c = 0; c < depth; ++c) y[c] = static_cast<float>(pixel[c]);
    }
  }
}

// The rows of all images that one part of a gradient writes.
template <class T> struct image_rows {
  T* dx;
  std::int64_t first, last, width, depth;

  bool has(std::int64_t row) const { return row >= first && row < last; }
  // Adds a row of the gradient of a crop to rows `upper` and `lower`.
  void add(const box_axes& box, const crop_point& rows, std::int64_t upper, std::int64_t lower, const float* dy) const {
    const bool above = has(upper), below = has(lower);
    if (!above && !below) return;
    for (std::int64_t i = 0; i < box.columns.count; ++i, dy += depth) {
      const float at = box.columns.place(i);
      if (!box.columns.is_inside(at)) continue;
      const crop_point x(box.columns, at);
      const std::int64_t left = x.lower * depth, right = x.upper * depth;
      for (std::int64_t c = 0; c < depth; ++c) {
        const float top = (1 - rows.share) * dy[c], bottom = rows.share * dy[c];
        if (above) {
          add_in_place(dx[upper * width + left + c], static_cast<T>((1 - x.share) * top));
          add_in_place(dx[upper * width + right + c], static_cast<T>(x.share * top));
        }
        if (below) {
          add_in_place(dx[lower * width + left + c], static_cast<T>((1 - x.share) * bottom));
          add_in_place(dx[lower * width + right + c], static_cast<T>(x.share * bottom));
        }
      }
    }
  }
  void add_nearest(const box_axes& box, std::int64_t row, const float* dy) const {
    if (!has(row)) return;
    for (std::int64_t i = 0; i < box.columns.count; ++i, dy += depth) {
      const float at = box.columns.place(i);
      if (!box.columns.is_inside(at)) continue;
      T* const to = dx + row * width + nearest_point(box.columns, at) * depth;
      for (std::int64_t c = 0; c < depth; ++c) add_in_place(to[c], static_cast<T>(dy[c]));
    }
  }
};

// Computes the gradient of one box: the sums over its pixels.
template <class T> void add_box_slopes(box_axes box, const T* image, std::int64_t depth, const float* dy, float* slopes) {
  const auto ratio = [](const crop_axis& a) {
    return a.count > 1 ? static_cast<float>(a.pixels - 1) / static_cast<float>(a.count - 1) : 0.0f;
  };
  // The shares of the two ends of an axis in the place of pixel i.
  const auto add = [](const crop_axis& a, float per_pixel, std::int64_t i, float slope, float& first, float& last) {
    const auto pixels = static_cast<float>(a.pixels - 1), moved = static_cast<float>(i) * per_pixel;
    first += slope * (a.count > 1 ? pixels - moved : 0.5f * pixels);
    last += slope * (a.count > 1 ? moved : 0.5f * pixels);
  };
  const float row_ratio = ratio(box.rows), column_ratio = ratio(box.columns);
  // Rounded in this order, as in TensorFlow.
  box.rows.step = (box.rows.last - box.rows.first) * row_ratio;
  box.columns.step = (box.columns.last - box.columns.first) * column_ratio;
  const std::int64_t width = box.columns.pixels * depth;
  for (std::int64_t i = 0; i < box.rows.count; ++i) {
    const float row = box.rows.place(i);
    if (!box.rows.is_inside(row)) continue;
    const crop_point y(box.rows, row);
    const T *const top = image + y.lower * width, *const bottom = image + y.upper * width;
    for (std::int64_t j = 0; j < box.columns.count; ++j) {
      const float column = box.columns.place(j);
      if (!box.columns.is_inside(column)) continue;
      const crop_point x(box.columns, column);
      for (std::int64_t c = 0; c < depth; ++c) {
        const auto a = static_cast<float>(top[x.lower * depth + c]), b = static_cast<float>(top[x.upper * depth + c]);
        const auto p = static_cast<float>(bottom[x.lower * depth + c]), q = static_cast<float>(bottom[x.upper * depth + c]);
        const float slope = dy[(i * box.columns.count + j) * depth + c];
        add(box.rows, row_ratio, i, ((1 - x.share) * (p - a) + x.share * (q - b)) * slope, slopes[0], slopes[2]);
        add(box.columns, column_ratio, j, ((1 - y.share) * (b - a) + y.share * (q - p)) * slope, slopes[1], slopes[3]);
      }
    }
  }
}

FLOWGRAPH_COLD inline bool are_finite(cpu ctx, view<const float> boxes) {
  for (const float x : boxes) {
    if (std::isfinite(x)) continue;
    return fail_check(ctx, message{"boxes must be finite, found ", std::to_string(x)});
  }
  return true;
}

}  // namespace detail

template <class T>
void crop_and_resize_op::operator()(cpu ctx, view<const T> images, view<const float> boxes, view<const std::int32_t> indices,
                                    view<const std::int32_t>, view<float> y) const {
  if (!detail::are_images(ctx, indices, images.dim(0)) || !detail::are_finite(ctx, boxes) || y.size() == 0) return;
  const std::int64_t rows = y.dim(1), depth = y.dim(3), row_size = y.dim(2) * depth;
  const std::int64_t image = images.dim(1) * images.dim(2) * depth;
  detail::for_parts_of_rows(ctx, y.dim(0) * rows, row_size * 2, [&](std::int64_t, std::int64_t first, std::int64_t last) {
    for (std::int64_t at = first; at < last; ++at) {
      const std::int64_t i = at / rows;
      const detail::box_axes box(boxes.data() + 4 * i, images.shape(), y.shape());
      detail::crop_row(*this, box, at % rows, images.data() + indices.data()[i] * image, depth, y.data() + at * row_size);
    }
  });
}

template <class T>
void crop_and_resize_grad_image_op::operator()(cpu ctx, view<const float> dy, view<const float> boxes,
                                               view<const std::int32_t> indices, view<const std::int32_t>, view<T> dx) const {
  if (!detail::are_images(ctx, indices, dx.dim(0))) return;
  std::fill_n(dx.data(), dx.size(), T(0));
  if (dx.size() == 0) return;
  const std::int64_t depth = dx.dim(3), row_size = dy.dim(2) * depth;
  const std::int64_t work = static_cast<std::int64_t>(dy.size()) * 4 / (dx.dim(0) * dx.dim(1)) + 1;
  detail::for_parts_of_rows(ctx, dx.dim(0) * dx.dim(1), work, [&](std::int64_t, std::int64_t first, std::int64_t last) {
    const detail::image_rows<T> to{dx.data(), first, last, dx.dim(2) * depth, depth};
    for (std::int64_t i = 0; i < dy.dim(0); ++i) {
      const detail::box_axes box(boxes.data() + 4 * i, dx.shape(), dy.shape());
      const std::int64_t image = indices.data()[i] * dx.dim(1);
      for (std::int64_t row = 0; row < dy.dim(1); ++row) {
        const float at = box.rows.place(row);
        if (!box.rows.is_inside(at)) continue;
        const float* const from = dy.data() + (i * dy.dim(1) + row) * row_size;
        const detail::crop_point rows(box.rows, at);
        if (method == crop_method::bilinear) to.add(box, rows, image + rows.lower, image + rows.upper, from);
        else to.add_nearest(box, image + detail::nearest_point(box.rows, at), from);
      }
    }
  });
}

template <class T>
void crop_and_resize_grad_boxes_op::operator()(cpu ctx, view<const float> dy, view<const T> images, view<const float> boxes,
                                               view<const std::int32_t> indices, view<float> dboxes) const {
  if (!detail::are_images(ctx, indices, images.dim(0))) return;
  std::fill_n(dboxes.data(), dboxes.size(), 0.0f);
  const std::int64_t depth = images.dim(3), crop = dy.dim(1) * dy.dim(2) * depth, image = images.dim(1) * images.dim(2) * depth;
  detail::for_parts_of_rows(ctx, dy.dim(0), crop * 4, [&](std::int64_t, std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const detail::box_axes box(boxes.data() + 4 * i, images.shape(), dy.shape());
      detail::add_box_slopes(box, images.data() + indices.data()[i] * image, depth, dy.data() + i * crop, dboxes.data() + 4 * i);
    }
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
