#pragma once

#include <flowgraph/ops/image/random_crop.hpp>
#include <flowgraph/ops/random/detail/draw.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape random_crop_op::shape(shape_context& c, const flowgraph::shape& x,
                                                                   const flowgraph::shape& size) const {
  if (!fits(x, flowgraph::shape::unknown_of_rank(3))) return c.fail("the image must have three axes");
  const flowgraph::shape given = detail::vector_of_integers(c, 1, size, "size", 2);
  if (c.failed()) return given;
  flowgraph::shape result = merged(x, flowgraph::shape::unknown_of_rank(3));
  result[0] = given.rank == 2 ? given[0] : -1;
  result[1] = given.rank == 2 ? given[1] : -1;
  if (given.rank == 2 && (given[0] < 0 || given[1] < 0)) return c.fail(message{"size must not be negative, found ", given});
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list sample_distorted_bounding_box_op::shape(shape_context& c,
                                                                                          const flowgraph::shape& image_size,
                                                                                          const flowgraph::shape& boxes) const {
  const auto is_pair = [](const std::vector<float>& range) { return range.size() == 2 && range[0] > 0 && range[1] > 0; };
  if (!(min_object_covered >= 0)) c.fail("min_object_covered must not be negative");
  else if (!is_pair(aspect_ratio_range)) c.fail("aspect_ratio_range must be two positive numbers");
  else if (!is_pair(area_range) || area_range[0] > 1 || area_range[1] > 1) c.fail("area_range must be two numbers in (0, 1]");
  else if (max_attempts <= 0) c.fail("max_attempts must be positive");
  else if (!fits(image_size, flowgraph::shape{3})) c.fail("image_size must have three elements");
  else if (!fits(boxes, flowgraph::shape{any, any, 4})) c.fail("boxes must have three axes, and four columns");
  return {flowgraph::shape{3}, flowgraph::shape{3}, flowgraph::shape{1, 1, 4}};
}

namespace detail {

// A stream of random numbers, one at a time.
class crop_numbers {
public:
  explicit crop_numbers(const philox& source) : source_(source) {}

  std::uint32_t next() {
    if (used_ == 4) {
      drawn_ = source_();
      used_ = 0;
    }
    return drawn_[used_++];
  }
  float unit() { return unit_float(next()); }
  // Returns a number less than n, with equal probability for each.
  std::uint32_t below(std::uint32_t n) {
    if (n == 0) return static_cast<void>(next()), 0;
    if ((n & (n - 1)) == 0) return next() & (n - 1);
    const std::uint32_t refused = ~std::uint32_t{0} % n + 1;
    std::uint32_t drawn = next();
    while (drawn < refused) drawn = next();
    return drawn % n;
  }

private:
  philox source_;
  philox::block drawn_{};
  std::size_t used_ = 4;
};

struct pixel_box {
  std::int32_t top = 0, left = 0, bottom = 0, right = 0;

  float area() const { return static_cast<float>(std::int64_t{right - left} * (bottom - top)); }
  pixel_box common(const pixel_box& b) const {
    const pixel_box result{std::max(top, b.top), std::max(left, b.left), std::min(bottom, b.bottom), std::min(right, b.right)};
    return result.left > result.right || result.top > result.bottom ? pixel_box{} : result;
  }
};

inline std::int32_t rounded_length(float x) {
  return static_cast<std::int32_t>(std::lrint(std::min(x, static_cast<float>(std::numeric_limits<std::int32_t>::max() / 2))));
}

// Draws a random box whose width is about `ratio` times its height. Returns false if there is none.
inline bool draw_pixel_box(const pixel_box& image, float least, float most, float ratio, crop_numbers& drawn, pixel_box& result) {
  const std::int32_t rows = image.bottom, columns = image.right;
  if (most <= 0 || ratio <= 0 || rows <= 0 || columns <= 0 || least > most) return false;
  const float least_area = least * static_cast<float>(columns) * static_cast<float>(rows);
  const float most_area = most * static_cast<float>(columns) * static_cast<float>(rows);
  const auto width_of = [&](std::int32_t height) { return rounded_length(static_cast<float>(height) * ratio); };
  std::int32_t highest = rounded_length(std::sqrt(most_area / ratio));
  if (width_of(highest) > columns) {
    highest = static_cast<std::int32_t>((static_cast<double>(columns) + 0.5 - static_cast<double>(0.0000001f)) /
                                        static_cast<double>(ratio));
    if (width_of(highest) > columns) --highest;
  }
  highest = std::min(highest, rows);
  std::int32_t height = std::min(rounded_length(std::sqrt(least_area / ratio)), highest);
  if (height < highest) height += static_cast<std::int32_t>(drawn.below(static_cast<std::uint32_t>(highest - height + 1)));
  // Rounding may violate the limits by one row.
  const auto area_of = [&](std::int32_t h) { return static_cast<float>(std::int64_t{width_of(h)} * h); };
  if (area_of(height) < least_area) ++height;
  if (area_of(height) > most_area) --height;
  const std::int32_t width = width_of(height);
  const float area = area_of(height);
  if (area < least_area || area > most_area || width > columns || height > rows || width <= 0 || height <= 0) return false;
  const auto place = [&](std::int32_t room) {
    return room > 0 ? static_cast<std::int32_t>(drawn.below(static_cast<std::uint32_t>(room))) : 0;
  };
  result.top = place(rows - height);
  result.left = place(columns - width);
  result.bottom = result.top + height;
  result.right = result.left + width;
  return true;
}

// Returns a box of fractions of an image, in pixels.
inline pixel_box pixels_of_box(const float* box, const pixel_box& image) {
  const auto scaled = [](float share, std::int32_t extent) {
    return static_cast<std::int32_t>(share * static_cast<float>(extent));
  };
  return {scaled(box[0], image.bottom), scaled(box[1], image.right), scaled(box[2], image.bottom), scaled(box[3], image.right)};
}

// Returns whether a drawn box contains enough of one of the boxes, or of the image if there are none.
inline bool covers_enough(const pixel_box& result, const pixel_box& image, view<const float> boxes, float least) {
  if (result.area() < 1) return false;
  const auto covers = [&](const pixel_box& object) {
    return object.area() >= 1 && result.common(object).area() / object.area() >= least;
  };
  if (boxes.size() == 0) return covers(image);
  for (std::size_t i = 0; i < boxes.size(); i += 4)
    if (covers(pixels_of_box(boxes.data() + i, image))) return true;
  return false;
}

// Fails unless the extents fit into a box and the boxes are in [0, 1].
FLOWGRAPH_COLD inline bool are_boxes_of(cpu ctx, std::uint64_t rows, std::uint64_t columns, view<const float> boxes,
                                        bool may_be_empty) {
  const char* why = nullptr;
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  if (rows >= most || columns >= most) why = "image_size must be less than 2147483647";
  for (const float x : boxes)
    if (!(x >= 0 && x <= 1)) why = "boxes must be in [0, 1]";
  if (boxes.size() == 0 && !may_be_empty) why = "there must be a box unless use_image_if_no_bounding_boxes is true";
  if (why) ctx.fail(error_code::invalid_argument, why);
  return !why;
}

}  // namespace detail

template <class T> void random_crop_op::operator()(cpu ctx, view<const T> x, view<const std::int64_t>, view<T> y) const {
  const std::int64_t rows = x.dim(0) - y.dim(0), columns = x.dim(1) - y.dim(1), depth = y.dim(2);
  if (rows < 0 || columns < 0)
    return ctx.fail(error_code::failed_precondition,
                    message{"size must not exceed the image, found ", y.shape(), " in ", x.shape()});
  detail::crop_numbers drawn(detail::source_with(ctx, *this, 1));
  const auto place = [&](std::int64_t room) { return room > 0 ? std::int64_t{drawn.next()} % (room + 1) : 0; };
  const std::int64_t column = place(columns), row = place(rows);
  if (y.size() == 0) return;
  for (std::int64_t r = 0; r < y.dim(0); ++r)
    std::copy_n(x.data() + ((row + r) * x.dim(1) + column) * depth, y.dim(1) * depth, y.data() + r * y.dim(1) * depth);
}

template <class T>
void sample_distorted_bounding_box_op::operator()(cpu ctx, view<const T> image_size, view<const float> boxes, view<T> begin,
                                                  view<T> size, view<float> box) const {
  const auto rows = static_cast<std::uint64_t>(image_size[0]), columns = static_cast<std::uint64_t>(image_size[1]);
  if (!detail::are_boxes_of(ctx, rows, columns, boxes, use_image_if_no_bounding_boxes)) return;
  const detail::pixel_box image{0, 0, static_cast<std::int32_t>(rows), static_cast<std::int32_t>(columns)};
  detail::crop_numbers drawn(detail::source_with(ctx, *this, static_cast<std::uint64_t>(max_attempts)));
  detail::pixel_box result;
  bool is_found = false;
  for (std::int64_t i = 0; i < max_attempts && !is_found && !ctx.stop_requested(); ++i) {
    const float ratio = drawn.unit() * (aspect_ratio_range[1] - aspect_ratio_range[0]) + aspect_ratio_range[0];
    is_found = detail::draw_pixel_box(image, area_range[0], area_range[1], ratio, drawn, result) &&
               detail::covers_enough(result, image, boxes, min_object_covered);
  }
  if (!is_found) result = image;
  const auto height = static_cast<float>(image.bottom), width = static_cast<float>(image.right);
  const float edges[4] = {static_cast<float>(result.top) / height, static_cast<float>(result.left) / width,
                          static_cast<float>(result.bottom) / height, static_cast<float>(result.right) / width};
  std::copy_n(edges, 4, box.data());
  const std::int32_t first[3] = {result.top, result.left, 0},
                     count[3] = {result.bottom - result.top, result.right - result.left, -1};
  for (std::size_t i = 0; i < 3; ++i) begin[i] = static_cast<T>(first[i]), size[i] = static_cast<T>(count[i]);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
