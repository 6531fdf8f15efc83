#pragma once

#include <flowgraph/ops/image/glimpse.hpp>
#include <flowgraph/ops/random/random.hpp>
#include <flowgraph/ops/random/detail/draw.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>

#include <algorithm>
#include <cmath>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::glimpse_shape(shape_context& c, const glimpse_attributes& a, const shape& x,
                                                                   const shape& size, const shape& offsets) {
  const std::string_view noise = a.noise;
  if (!noise.empty() && noise != "uniform" && noise != "gaussian" && noise != "zero")
    return c.fail("noise must be uniform, gaussian or zero");
  if (a.uniform_noise && !noise.empty() && noise != "uniform")
    return c.fail("uniform_noise must be false if noise is not uniform");
  const shape four = shape::unknown_of_rank(4);
  if (!fits(x, four)) return c.fail("the images must have four axes");
  if (!fits(offsets, shape{any, 2})) return c.fail("offsets must have a row and a column for each image");
  shape result = merged(x, four);
  if (offsets.has_rank() && !fits(shape{result[0]}, shape{offsets[0]})) return c.fail("offsets must have one row per image");
  const shape given = vector_of_integers(c, 1, size, "size", 2);
  if (c.failed()) return shape::unknown();
  result[1] = given.rank == 2 ? given[0] : -1;
  result[2] = given.rank == 2 ? given[1] : -1;
  if (given.rank == 2 && (given[0] < 0 || given[1] < 0)) return c.fail(message{"size must not be negative, found ", given});
  return result;
}

namespace detail {

// Returns the first row or column of a window of `size` pixels. Places far outside of the image are limited, so that they fit
// into an integer.
inline std::int64_t glimpse_start(const glimpse_attributes& a, bool older, float offset, std::int64_t extent, std::int64_t size) {
  const auto pixels = static_cast<float>(extent), half_size = static_cast<float>(size) / 2;
  float at = a.normalized ? offset * pixels : offset;
  if (a.centered) at = (a.normalized || older ? at / 2 : at) + pixels / 2;
  if (older || (a.normalized && a.centered)) at -= half_size;
  const auto far_away = static_cast<float>(extent + size + 1);
  return static_cast<std::int64_t>(at != at ? -far_away : std::clamp(at, -far_away, far_away));
}

// The common pixels of an image and a window, along one axis.
struct glimpse_overlap {
  std::int64_t from, to, count;  // the first common pixel in the image, and in the window; and the number of pixels

  glimpse_overlap(std::int64_t start, std::int64_t extent, std::int64_t size)
      : from(std::max<std::int64_t>(start, 0)), to(std::max<std::int64_t>(-start, 0)), count(std::min(extent - from, size - to)) {
  }
};

// Adds noise. Uniform noise is between the smallest and the largest element of the image. Gaussian noise has the mean and the
// deviation of each channel, and is limited to the range of the elements of this channel.
FLOWGRAPH_COLD inline void add_noise(philox source, bool uniform, const float* x, std::int64_t pixels, std::int64_t depth,
                                     float* y, std::int64_t size) {
  const auto [low, high] = std::minmax_element(x, x + pixels * depth);
  float drawn[4];
  for (std::int64_t i = 0; i < size; ++i) {
    if (i % 4 == 0 && uniform) unit_distribution<float>::draw(source(), drawn);
    if (i % 4 == 0 && !uniform) normal_distribution<float>::draw(source(), drawn);
    y[i] = uniform ? *low + drawn[i % 4] * (*high - *low) : drawn[i % 4];
  }
  if (uniform) return;
  for (std::int64_t c = 0; c < depth; ++c) {
    double sum = 0, squares = 0;
    float least = x[c], most = x[c];
    for (std::int64_t i = 0; i < pixels; ++i) {
      const float e = x[i * depth + c];
      sum += static_cast<double>(e), squares += static_cast<double>(e) * static_cast<double>(e);
      least = std::min(least, e), most = std::max(most, e);
    }
    const double mean = sum / static_cast<double>(pixels), variance = squares / static_cast<double>(pixels) - mean * mean;
    const auto deviation = static_cast<float>(std::sqrt(std::max(variance, 0.0)));
    for (std::int64_t i = c; i < size; i += depth)
      y[i] = std::max(std::min(static_cast<float>(mean) + y[i] * deviation, most), least);
  }
}

inline void copy_glimpses(cpu ctx, const glimpse_attributes& a, bool older, view<const float> x, view<const float> offsets,
                          view<float> y) {
  if (y.size() == 0) return;
  const std::int64_t depth = x.dim(3), pixels = x.dim(1) * x.dim(2), size = y.dim(1) * y.dim(2) * depth;
  const bool uniform = a.noise == "uniform" || (a.noise.empty() && a.uniform_noise), has_noise = a.noise != "zero" && pixels > 0;
  const philox source = source_with(ctx, {}, has_noise ? (y.size() + 3) / 4 : 0);
  ctx.parallel_ranges(y.dim(0), std::max<std::int64_t>(1, (1 << 14) / size), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const float* const image = x.data() + i * pixels * depth;
      float* const to = y.data() + i * size;
      const std::int64_t row = glimpse_start(a, older, offsets.data()[2 * i], x.dim(1), y.dim(1));
      const std::int64_t column = glimpse_start(a, older, offsets.data()[2 * i + 1], x.dim(2), y.dim(2));
      const glimpse_overlap rows(row, x.dim(1), y.dim(1)), columns(column, x.dim(2), y.dim(2));
      if (rows.count < y.dim(1) || columns.count < y.dim(2)) {
        philox own = source;
        own.skip(static_cast<std::uint64_t>(i * ((size + 3) / 4)));
        if (has_noise) add_noise(own, uniform, image, pixels, depth, to, size);
        else std::fill_n(to, size, 0.0f);
      }
      if (columns.count <= 0) continue;
      for (std::int64_t r = 0; r < rows.count; ++r)
        std::copy_n(image + ((rows.from + r) * x.dim(2) + columns.from) * depth, columns.count * depth,
                    to + ((rows.to + r) * y.dim(2) + columns.to) * depth);
    }
  });
}

}  // namespace detail

FLOWGRAPH_KERNEL_INLINE void extract_glimpse_op::operator()(cpu ctx, view<const float> x, view<const std::int32_t>,
                                                            view<const float> offsets, view<float> y) const {
  detail::copy_glimpses(ctx, *this, true, x, offsets, y);
}
FLOWGRAPH_KERNEL_INLINE void extract_glimpse_v2_op::operator()(cpu ctx, view<const float> x, view<const std::int32_t>,
                                                               view<const float> offsets, view<float> y) const {
  detail::copy_glimpses(ctx, *this, false, x, offsets, y);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
