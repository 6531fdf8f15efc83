#pragma once

#include <flowgraph/ops/image/adjust_color.hpp>
#include <flowgraph/ops/image/detail/channels.hpp>
#include <flowgraph/ops/image/detail/colors.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape contrast_shape(shape_context& c, const shape& x,
                                                            std::initializer_list<shape> scalars) {
  if (x.has_rank() && x.rank < 3) return c.fail("expected images of at least three axes");
  for (const shape& s : scalars)
    if (!fits(s, {})) return c.fail("expected scalars beside the images");
  return x;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape adjusted_shape(shape_context& c, const shape& x, const shape& scalar) {
  shape result = contrast_shape(c, x, {scalar});
  if (c.failed() || !x.has_rank()) return result;
  if (x[-1] >= 0 && x[-1] != 3) return c.fail("the last axis must have three elements");
  result[-1] = 3;
  return result;
}

// Returns the number of images: the product of the extents before the last three.
inline std::int64_t images_in(const shape& x) {
  std::int64_t n = 1;
  for (int i = 0; i + 3 < x.rank; ++i) n *= x[i];
  return n;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t contrast_scratch(const shape& x) {
  return static_cast<std::size_t>(images_in(x) * x[-1]) * sizeof(double);
}

// The factor of a contrast, and the limits of its result.
struct contrast {
  float factor, low, high;
};

// Images of one element type. If Depth is not 0, it is the number of channels.
template <std::int64_t Depth, class T> struct contrasted_pixels {
  // Writes the mean of each channel of an image. The sums are computed in double, for precision.
  static void find_means(const T* x, std::int64_t pixels, std::int64_t depth, double* means) {
    const std::int64_t each = Depth ? Depth : depth;
    double own[room_for_channels<Depth>];
    double* const sums = Depth ? own : means;
    for_channels<Depth>(depth, [&](std::int64_t c) { sums[c] = 0; });
    for (std::int64_t i = 0; i < pixels; ++i, x += each)
      for_channels<Depth>(depth, [&](std::int64_t c) { sums[c] += static_cast<double>(x[c]); });
    for_channels<Depth>(depth, [&](std::int64_t c) { means[c] = sums[c] / static_cast<double>(pixels); });
  }
  static void move(const T* x, std::int64_t pixels, std::int64_t depth, const double* means, const contrast& k, float* y) {
    const std::int64_t each = Depth ? Depth : depth;
    float own[room_for_channels<Depth>];
    if constexpr (Depth != 0) for_channels<Depth>(depth, [&](std::int64_t c) { own[c] = static_cast<float>(means[c]); });
    for (std::int64_t i = 0; i < pixels; ++i, x += each, y += each)
      for_channels<Depth>(depth, [&](std::int64_t c) {
        const float mean = Depth ? own[c] : static_cast<float>(means[c]);
        const float moved = (static_cast<float>(x[c]) - mean) * k.factor + mean;
        y[c] = std::max(std::min(moved, k.high), k.low);
      });
  }
};

template <std::int64_t Depth, class T> void adjust_contrast_of(cpu ctx, view<const T> x, const contrast& k, view<float> y) {
  using pixels_of_images = contrasted_pixels<Depth, T>;
  const std::int64_t depth = x.dim(-1), pixels = x.dim(-3) * x.dim(-2), images = images_in(x.shape());
  double* const means = ctx.scratch<double>();
  ctx.parallel_ranges(images, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i)
      pixels_of_images::find_means(x.data() + i * pixels * depth, pixels, depth, means + i * depth);
  });
  const std::int64_t block = std::max<std::int64_t>(1, 3 * pixels_per_block / depth);
  ctx.parallel_ranges(images * pixels, block, [&](std::int64_t first, std::int64_t last) {
    while (first < last) {
      const std::int64_t image = first / pixels, n = std::min(last, (image + 1) * pixels) - first;
      pixels_of_images::move(x.data() + first * depth, n, depth, means + image * depth, k, y.data() + first * depth);
      first += n;
    }
  });
}
template <class T> void adjust_contrast_of(cpu ctx, view<const T> x, const contrast& k, view<float> y) {
  if (y.size() == 0) return;
  if (x.dim(-1) == 3) adjust_contrast_of<3>(ctx, x, k, y);
  else adjust_contrast_of<0>(ctx, x, k, y);
}

// The places of the largest, the middle and the smallest part of a color whose hue is in that sixth of a turn. Tables take the
// place of branches here, because the hues of neighboring pixels are hard to predict.
inline constexpr std::uint8_t places_of_sixth[6][3] = {{0, 1, 2}, {1, 0, 2}, {1, 2, 0}, {2, 1, 0}, {2, 0, 1}, {0, 2, 1}};

inline void write_sixth(int sixth, float high, float middle, float low, float* rgb) {
  const std::uint8_t* const at = places_of_sixth[sixth];
  rgb[at[0]] = high;
  rgb[at[1]] = middle;
  rgb[at[2]] = low;
}

// A color by its hue, counted in sixths of a turn, and by its smallest and largest part.
struct hue_range {
  float hue = 0, low, high;

  explicit hue_range(const float* rgb) {
    const float r = rgb[0], g = rgb[1], b = rgb[2];
    const bool rising = r < g;
    // By three bits: red is below green, blue is the smallest, blue is the largest.
    static constexpr std::uint8_t sixths[8] = {5, 2, 0, 1, 4, 3, 4, 3};
    const int sixth = sixths[int{rising} | int{b < rgb[!rising]} << 1 | int{b > rgb[rising]} << 2];
    const std::uint8_t* const at = places_of_sixth[sixth];
    high = rgb[at[0]], low = rgb[at[2]];
    if (high != low) hue = static_cast<float>(sixth) + from_even(sixth, (rgb[at[1]] - low) / (high - low));
  }

  void write(float* rgb) const {
    const int sixth = static_cast<int>(hue);
    const float middle = low + from_even(sixth, hue - static_cast<float>(sixth)) * (high - low);
    write_sixth(std::clamp(sixth, 0, 5), high, middle, low, rgb);
  }

  // In odd sixths, the middle part falls as the hue grows.
  static float from_even(int sixth, float share) {
    static constexpr float starts[2] = {0, 1}, signs[2] = {1, -1};
    return starts[sixth & 1] + signs[sixth & 1] * share;
  }
};

// Returns a hue in [0, 6), also if `delta` is infinite or NaN.
inline float turned_hue(float hue, float delta) {
  float turned = hue + delta * 6;
  if (!(std::abs(turned) < 1e6f)) turned = std::fmod(turned, 6.0f);
  if (turned != turned) return 0;
  static constexpr float turns[2] = {0, 6};
  turned += turns[turned < 0];
  while (turned < 0) turned += 6;
  turned -= turns[turned >= 6];
  while (turned >= 6) turned -= 6;
  return turned;
}

inline void write_saturated(const float* rgb, float factor, float* to) {
  const float r = rgb[0], g = rgb[1], b = rgb[2], value = std::max(r, std::max(g, b));
  const float range = value - std::min(r, std::min(g, b)), norm = 1.0f / (6.0f * range);
  static constexpr double starts[3] = {0, 2.0 / 6.0, 4.0 / 6.0};
  static constexpr float turns[2] = {0, 1};
  const float slopes[3] = {g - b, b - r, r - g};
  const int largest = int{r != value} << int{g != value};
  float hue = static_cast<float>(static_cast<double>(norm * slopes[largest]) + starts[largest]);
  if (range <= 0) hue = 0;
  hue += turns[hue < 0];
  const float saturation = std::min(1.0f, std::max(0.0f, (value > 0 ? range / value : 0.0f) * factor));
  const float chroma = saturation * value, rest = value - chroma, place = hue * 6;
  if (!(place >= 0 && place < 6)) return write_sixth(0, rest, rest, rest, to);
  const int sixth = static_cast<int>(place);
  const float middle = chroma * (1 - std::abs(place - static_cast<float>(sixth / 2 * 2) - 1));
  write_sixth(sixth, chroma + rest, middle + rest, rest, to);
}

template <class Change> void change_pixels(cpu ctx, view<const float> x, view<float> y, const Change& change) {
  ctx.parallel_ranges(static_cast<std::int64_t>(x.size()) / 3, pixels_per_block, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) change(x.data() + 3 * i, y.data() + 3 * i);
  });
}

}  // namespace detail

template <class T>
void adjust_contrast_op::operator()(cpu ctx, view<const T> x, view<const float> factor, view<const float> min_value,
                                    view<const float> max_value, view<float> y) const {
  detail::adjust_contrast_of(ctx, x, {factor.scalar(), min_value.scalar(), max_value.scalar()}, y);
}

template <class T> void adjust_contrast_v2_op::operator()(cpu ctx, view<const T> x, view<const float> factor, view<T> y) const {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  detail::adjust_contrast_of(ctx, x, {factor.scalar(), -infinity, infinity}, y);
}

template <class T> void adjust_hue_op::operator()(cpu ctx, view<const T> x, view<const float> delta, view<T> y) const {
  const float turn = delta.scalar();
  detail::change_pixels(ctx, x, y, [&](const float* from, float* to) {
    detail::hue_range c(from);
    c.hue = detail::turned_hue(c.hue, turn);
    c.write(to);
  });
}

template <class T> void adjust_saturation_op::operator()(cpu ctx, view<const T> x, view<const float> scale, view<T> y) const {
  const float factor = scale.scalar();
  detail::change_pixels(ctx, x, y, [&](const float* from, float* to) { detail::write_saturated(from, factor, to); });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
