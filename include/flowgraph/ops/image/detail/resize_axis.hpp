#pragma once
// The places of the pixels of resized images in the original images, and the division of rows among threads.

#include <flowgraph/core/first_that.hpp>
#include <flowgraph/op/kernel.hpp>
#include <flowgraph/ops/image/detail/resize_rules.hpp>
#include <flowgraph/ops/shared/detail/number.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// One axis of images of `from` pixels, resized to `to` pixels.
struct resize_axis {
  std::int64_t from, to;
  float scale;
  bool at_centers;

  float scaled(std::int64_t i) const {
    return at_centers ? (static_cast<float>(i) + 0.5f) * scale : static_cast<float>(i) * scale;
  }
  // Returns the place of pixel i of the resized images in the original images. It does not decrease with i.
  float place(std::int64_t i) const { return at_centers ? scaled(i) - 0.5f : scaled(i); }
  std::int64_t inside(std::int64_t i) const { return std::clamp<std::int64_t>(i, 0, from - 1); }
};

// Returns the axis between `from` and `to` pixels. A single pixel has no corners to align, as in TensorFlow.
inline resize_axis resize_axis_of(const resize_attributes& a, std::int64_t from, std::int64_t to) {
  const float scale = a.align_corners && from > 1 && to > 1 ? static_cast<float>(from - 1) / static_cast<float>(to - 1)
                                                            : static_cast<float>(from) / static_cast<float>(to);
  return {from, to, scale, a.half_pixel_centers};
}

struct resize_sizes {
  std::int64_t images, depth;
  resize_axis rows, columns;

  bool keeps_size() const { return rows.from == rows.to && columns.from == columns.to; }
};

// Returns the sizes from images of shape `from` to images of shape `to`.
FLOWGRAPH_COLD inline resize_sizes resize_sizes_of(const resize_attributes& a, const shape& from, const shape& to) {
  return {to[0], to[3], resize_axis_of(a, from[1], to[1]), resize_axis_of(a, from[2], to[2])};
}

// Rows are divided into at most this number of parts. Each part has its own working memory.
inline constexpr std::int64_t most_image_parts = 32;
inline constexpr std::int64_t elements_per_part = 1 << 14;

// Calls work(part, first, last) for ranges of rows. `elements` is the work for a row, in elements.
template <class Work> void for_parts_of_rows(cpu ctx, std::int64_t rows, std::int64_t elements, const Work& work) {
  const auto worth = static_cast<std::int64_t>(static_cast<double>(rows) * static_cast<double>(elements) / elements_per_part);
  const std::int64_t parts = std::clamp<std::int64_t>(worth, 1, std::clamp<std::int64_t>(rows, 1, most_image_parts));
  const std::int64_t each = rows / parts, rest = rows % parts;
  ctx.parallel_for(parts, [&](std::int64_t part) {
    const std::int64_t first = part * each + std::min(part, rest);
    work(part, first, first + each + (part < rest ? 1 : 0));
  });
}

// The number of columns of resized images that are computed together, so that their elements stay in the cache.
inline constexpr std::int64_t floats_of_columns = 2048, most_columns = 256;
inline std::int64_t columns_at_once(std::int64_t depth) {
  return std::clamp<std::int64_t>(floats_of_columns / depth, 1, most_columns);
}

template <class T> void convert_to_floats(cpu ctx, view<const T> x, view<float> y) {
  ctx.parallel_ranges(static_cast<std::int64_t>(x.size()), elements_per_part, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) y.data()[i] = static_cast<float>(x.data()[i]);
  });
}

// Sums of halves are kept in float.
template <class T> using slope_sum = std::conditional_t<is_half<T>, float, T>;

// Returns the sums of row `row` of a gradient: its memory, or for halves the working memory of the part.
template <class T> slope_sum<T>* sums_of_row(T* row, float* working) {
  if constexpr (is_half<T>) return working;
  else return static_cast<void>(working), row;
}
template <class T>
void keep_sums([[maybe_unused]] const slope_sum<T>* sums, [[maybe_unused]] T* row, [[maybe_unused]] std::int64_t n) {
  if constexpr (is_half<T>)
    for (std::int64_t i = 0; i < n; ++i) row[i] = T(sums[i]);
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
