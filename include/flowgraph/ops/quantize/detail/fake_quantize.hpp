#pragma once

#include <flowgraph/ops/quantize/fake_quantize.hpp>

#include <algorithm>
#include <cmath>
#include <new>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline constexpr std::int64_t quantized_per_block = 1 << 13, channels_per_block = 16;

// ---- shapes

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE bool is_grid(shape_context& c, std::int64_t bits) {
  if (bits >= 2 && bits <= 16) return true;
  return fail_check(c, message{"num_bits must be between 2 and 16, found ", bits});
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape fixed_range_shape(shape_context& c, const fixed_range_attributes& a,
                                                               const shape& x) {
  if (!(a.min < a.max))
    return c.fail(message{"min must be less than max, found ", to_string(attribute_value(a.min)), " and ",
                          to_string(attribute_value(a.max))});
  return is_grid(c, a.num_bits) ? x : shape();
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape fixed_range_gradient_shape(shape_context& c, const fixed_range_attributes& a,
                                                                        const shape& dy, const shape& x) {
  if (!fits(dy, x)) return c.fail("expected gradients and inputs of the same shape");
  return fixed_range_shape(c, a, merged(dy, x));
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape ranged_shape(shape_context& c, std::int64_t bits, const shape& x, const shape& min,
                                                          const shape& max) {
  if (!fits(min, {}) || !fits(max, {})) return c.fail("min and max must be scalars");
  return is_grid(c, bits) ? x : shape();
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::array<shape, 3> ranged_gradient_shape(shape_context& c, std::int64_t bits,
                                                                                  const shape& dy, const shape& x,
                                                                                  const shape& min, const shape& max) {
  if (!fits(dy, x)) c.fail("expected gradients and inputs of the same shape");
  if (c.failed()) return {};
  return {ranged_shape(c, bits, merged(dy, x), min, max), shape{}, shape{}};
}
// Two sums per block.
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t ranged_gradient_scratch(const shape& x) {
  return static_cast<std::size_t>(2 * ((x.size() + quantized_per_block - 1) / quantized_per_block)) * sizeof(double);
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape channels_shape(shape_context& c, std::int64_t bits, const shape& x, const shape& min,
                                                            const shape& max) {
  if (x.rank == 0) return c.fail("expected at least one axis");
  if (!fits(min, {any}) || !fits(max, {any})) return c.fail("min and max must be vectors");
  const std::int64_t channels = x.has_rank() ? x[-1] : -1;
  if (!fits(min, {channels}) || !fits(max, {channels}) || !fits(min, max))
    return c.fail("min and max must have one element per channel: as many as the last axis");
  return is_grid(c, bits) ? x : shape();
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::array<shape, 3> channels_gradient_shape(shape_context& c, std::int64_t bits,
                                                                                    const shape& dy, const shape& x,
                                                                                    const shape& min, const shape& max) {
  if (!fits(dy, x)) c.fail("expected gradients and inputs of the same shape");
  if (c.failed()) return {};
  const shape dx = channels_shape(c, bits, merged(dy, x), min, max);
  if (c.failed()) return {};
  const shape range = merged(merged(min, max), {dx.has_rank() ? dx[-1] : -1});
  return {dx, range, range};
}

// ---- numbers

// The numbers low, low + scale, ..., high. 0 is one of them. An empty range at 0 makes 0 of all elements, and passes all
// gradients.
struct quantized_grid {
  float low, high, scale, inverse, zero;
  bool is_zero;

  quantized_grid(float min, float max, const fake_quantize_attributes& a) : is_zero(min == 0 && max == 0) {
    const float first = a.narrow_range ? 1.f : 0.f, last = static_cast<float>((1 << a.num_bits) - 1);
    scale = (max - min) / (last - first);
    inverse = (last - first) / (max - min);
    const float place = first - min / scale;  // of 0, counted in steps
    const float nearest = place < first ? first : place > last ? last : place == place ? std::round(place) : 0.f;
    low = (first - nearest) * scale;
    high = (last - nearest) * scale;
    zero = std::floor(-low * inverse + 0.5f);
  }
  explicit quantized_grid(const fixed_range_attributes& a) : quantized_grid(a.min, a.max, {a.num_bits, a.narrow_range}) {}

  float operator()(float x) const { return at((inside(x) - low) * inverse); }
  // Like operator(), but counts the steps by a division. The results differ only for numbers halfway between two of the grid.
  float divided(float x) const { return at((inside(x) - low) / scale); }
  float gradient(float dy, float x) const { return is_zero ? dy : dy * (x >= low && x <= high ? 1.f : 0.f); }

private:
  float inside(float x) const { return std::max(std::min(x, high), low); }  // NaN remains
  float at(float steps) const { return is_zero ? 0.f : std::floor(steps - zero + 0.5f) * scale; }
};

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t channels_scratch(const shape& x) {
  return static_cast<std::size_t>(x[-1]) * sizeof(quantized_grid);
}

// Sums of gradients below and above a range, in double: they do not depend on rounding.
struct outer_sums {
  double below = 0, above = 0;

  void add(const quantized_grid& grid, float dy, float x) {
    if (grid.is_zero) return;
    below += static_cast<double>(dy * (x < grid.low ? 1.f : 0.f));  // NaN and infinities of dy always count
    above += static_cast<double>(dy * (x > grid.high ? 1.f : 0.f));
  }
};

FLOWGRAPH_KERNEL_INLINE void differentiate_range(cpu ctx, const quantized_grid& grid, view<const float> dy, view<const float> x,
                                                 view<float> dx, float& dmin, float& dmax) {
  auto* const sums = ctx.scratch<outer_sums>();
  const auto size = static_cast<std::int64_t>(x.size());
  ctx.parallel_ranges(size, quantized_per_block, [&](std::int64_t first, std::int64_t last) {
    outer_sums outside;
    for (std::int64_t i = first; i < last; ++i) {
      dx.data()[i] = grid.gradient(dy.data()[i], x.data()[i]);
      outside.add(grid, dy.data()[i], x.data()[i]);
    }
    sums[first / quantized_per_block] = outside;
  });
  outer_sums all;
  for (std::int64_t i = 0; i * quantized_per_block < size; ++i) {
    all.below += sums[i].below;
    all.above += sums[i].above;
  }
  dmin = static_cast<float>(all.below);
  dmax = static_cast<float>(all.above);
}

FLOWGRAPH_KERNEL_INLINE const quantized_grid* grids_of(cpu ctx, const fake_quantize_attributes& a, view<const float> min,
                                                       view<const float> max) {
  auto* const grids = ctx.scratch<quantized_grid>();
  for (std::size_t c = 0; c < min.size(); ++c) new (grids + c) quantized_grid(min[c], max[c], a);
  return grids;
}

FLOWGRAPH_KERNEL_INLINE void round_channels(cpu ctx, const fake_quantize_attributes& a, view<const float> x,
                                            view<const float> min, view<const float> max, view<float> y) {
  if (x.size() == 0) return;
  const quantized_grid* const grids = grids_of(ctx, a, min, max);
  const std::int64_t channels = x.dim(-1), rows = static_cast<std::int64_t>(x.size()) / channels;
  ctx.parallel_ranges(rows, std::max<std::int64_t>(1, quantized_per_block / channels),
                      [&](std::int64_t first, std::int64_t last) {
                        for (std::int64_t i = first * channels; i < last * channels; i += channels)
                          for (std::int64_t c = 0; c < channels; ++c) y.data()[i + c] = grids[c](x.data()[i + c]);
                      });
}

// Each block sums a few channels over all rows.
FLOWGRAPH_KERNEL_INLINE void differentiate_channels(cpu ctx, const quantized_grid* grids, view<const float> dy,
                                                    view<const float> x, view<float> dx, view<float> dmin, view<float> dmax) {
  const std::int64_t channels = x.dim(-1), size = static_cast<std::int64_t>(x.size());
  ctx.parallel_ranges(channels, channels_per_block, [&](std::int64_t first, std::int64_t last) {
    std::array<outer_sums, channels_per_block> sums{};
    for (std::int64_t row = 0; row < size; row += channels)
      for (std::int64_t c = first; c < last; ++c) {
        const float slope = dy.data()[row + c], element = x.data()[row + c];
        dx.data()[row + c] = grids[c].gradient(slope, element);
        sums[static_cast<std::size_t>(c - first)].add(grids[c], slope, element);
      }
    for (std::int64_t c = first; c < last; ++c) {
      dmin.data()[c] = static_cast<float>(sums[static_cast<std::size_t>(c - first)].below);
      dmax.data()[c] = static_cast<float>(sums[static_cast<std::size_t>(c - first)].above);
    }
  });
}

}  // namespace detail

FLOWGRAPH_KERNEL_INLINE void fake_quant_with_min_max_args_op::operator()(cpu ctx, view<const float> x, view<float> y) const {
  const detail::quantized_grid grid(*this);
  ctx.parallel_ranges(static_cast<std::int64_t>(x.size()), detail::quantized_per_block,
                      [&](std::int64_t first, std::int64_t last) {
                        for (std::int64_t i = first; i < last; ++i) y.data()[i] = grid(x.data()[i]);
                      });
}

FLOWGRAPH_KERNEL_INLINE void fake_quant_with_min_max_args_gradient_op::operator()(cpu ctx, view<const float> dy,
                                                                                  view<const float> x, view<float> dx) const {
  const detail::quantized_grid grid(*this);
  ctx.parallel_ranges(static_cast<std::int64_t>(x.size()), detail::quantized_per_block,
                      [&](std::int64_t first, std::int64_t last) {
                        for (std::int64_t i = first; i < last; ++i) dx.data()[i] = grid.gradient(dy.data()[i], x.data()[i]);
                      });
}

FLOWGRAPH_KERNEL_INLINE void fake_quant_with_min_max_vars_op::operator()(cpu ctx, view<const float> x, view<const float> min,
                                                                         view<const float> max, view<float> y) const {
  // As TensorFlow does here, but not for constant ranges and channels.
  const detail::quantized_grid grid(min.scalar(), max.scalar(), *this);
  ctx.parallel_ranges(static_cast<std::int64_t>(x.size()), detail::quantized_per_block,
                      [&](std::int64_t first, std::int64_t last) {
                        for (std::int64_t i = first; i < last; ++i) y.data()[i] = grid.divided(x.data()[i]);
                      });
}

FLOWGRAPH_KERNEL_INLINE void fake_quant_with_min_max_vars_gradient_op::operator()(cpu ctx, view<const float> dy,
                                                                                  view<const float> x, view<const float> min,
                                                                                  view<const float> max, view<float> dx,
                                                                                  view<float> dmin, view<float> dmax) const {
  detail::differentiate_range(ctx, {min.scalar(), max.scalar(), *this}, dy, x, dx, dmin[0], dmax[0]);
}

FLOWGRAPH_KERNEL_INLINE void fake_quant_with_min_max_vars_per_channel_op::operator()(cpu ctx, view<const float> x,
                                                                                     view<const float> min, view<const float> max,
                                                                                     view<float> y) const {
  detail::round_channels(ctx, *this, x, min, max, y);
}

FLOWGRAPH_KERNEL_INLINE void fake_quant_with_min_max_vars_per_channel_gradient_op::operator()(
    cpu ctx, view<const float> dy, view<const float> x, view<const float> min, view<const float> max, view<float> dx,
    view<float> dmin, view<float> dmax) const {
  detail::differentiate_channels(ctx, detail::grids_of(ctx, *this, min, max), dy, x, dx, dmin, dmax);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
