#pragma once

#include <flowgraph/ops/random/random.hpp>
#include <flowgraph/ops/random/detail/draw.hpp>
#include <flowgraph/ops/nn/detail/pool.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/nn/fractional_pool.hpp>

#include <atomic>
#include <cmath>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape_list detail::fractional_pool_shape(shape_context& c,
                                                                                const fractional_pool_attributes& a,
                                                                                const shape& x) {
  const shape_list unknown{shape::unknown_of_rank(4), shape::unknown_of_rank(1), shape::unknown_of_rank(1)};
  const auto refused = [&](const char* why) {
    c.fail(why);
    return unknown;
  };
  if (a.pooling_ratio.size() != 4) return refused("pooling_ratio must be four numbers");
  for (const float ratio : a.pooling_ratio)
    if (!(ratio >= 1)) return refused("pooling_ratio must not be less than 1");
  if (!a.deterministic && (a.seed != 0 || a.seed2 != 0)) return refused("seed and seed2 must be 0 where deterministic is false");
  if (!fits(x, unknown[0])) return refused("expected images of four axes");
  shape y = merged(x, unknown[0]);
  for (int axis = 0; axis < 4; ++axis) {
    if (y[axis] < 0) continue;
    y[axis] =
        static_cast<std::int64_t>(std::floor(static_cast<float>(y[axis]) / a.pooling_ratio[static_cast<std::size_t>(axis)]));
    if (y[axis] == 0) return refused("expected images of at least pooling_ratio elements per axis");
  }
  const auto cuts = [](std::int64_t outputs) { return shape{outputs < 0 ? -1 : outputs + 1}; };
  return {y, cuts(y[1]), cuts(y[2])};
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::fractional_gradient_shape(shape_context& c, const shape& x, const shape& dy,
                                                                               const shape& rows, const shape& columns) {
  const shape images = shape::unknown_of_rank(4);
  if (!fits(x, images) || !fits(dy, images)) return c.fail("expected images of four axes");
  const shape of_x = merged(x, images), of_dy = merged(dy, images);
  for (const int axis : {0, 3})
    if (of_x[axis] >= 0 && of_dy[axis] >= 0 && of_x[axis] != of_dy[axis])
      return c.fail("expected a gradient with the same number of images and channels");
  const auto good = [](const shape& cuts, std::int64_t outputs) { return fits(cuts, shape{outputs < 0 ? -1 : outputs + 1}); };
  if (!good(rows, of_dy[1]) || !good(columns, of_dy[2]))
    return c.fail("expected one cut more than windows along rows and columns");
  return of_x;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape fractional_avg_pool_grad_op::shape(shape_context& c, const flowgraph::shape& sizes,
                                                                                const flowgraph::shape& dy,
                                                                                const flowgraph::shape& rows,
                                                                                const flowgraph::shape& columns) const {
  const flowgraph::shape x = detail::vector_of_integers(c, 0, sizes, "orig_input_tensor_shape", 4);
  if (c.failed()) return x;
  for (const std::int64_t extent : x)
    if (extent < 0) return c.fail("orig_input_tensor_shape must not be negative");
  return detail::fractional_gradient_shape(c, x, dy, rows, columns);
}

namespace detail {

// Cuts [0, extent) into `outputs` windows of two neighbouring sizes: larger ones first, then shuffled.
FLOWGRAPH_COLD inline void shuffle_windows(philox source, std::int64_t extent, std::int64_t* cuts, std::int64_t outputs) {
  std::int64_t* const sizes = cuts + 1;
  for (std::int64_t i = 0; i < outputs; ++i) sizes[i] = extent / outputs + (i < extent % outputs ? 1 : 0);
  philox::block drawn{};
  for (std::int64_t i = 0; i + 1 < outputs; ++i) {
    if (i % 4 == 0) drawn = source();
    std::swap(sizes[i], sizes[i + drawn[static_cast<std::size_t>(i % 4)] % static_cast<std::uint32_t>(outputs - i)]);
  }
  cuts[0] = 0;
  for (std::int64_t i = 0; i < outputs; ++i) cuts[i + 1] += cuts[i];
}

// Cuts at the multiples of the ratio of extent to outputs, all moved by the same random distance. The distance is limited so that
// windows keep the two sizes.
FLOWGRAPH_COLD inline void space_windows(philox source, std::int64_t extent, std::int64_t* cuts, std::int64_t outputs) {
  const double ratio = static_cast<double>(extent) / static_cast<double>(outputs);
  const auto least = static_cast<double>(extent / outputs);
  const double most =
      std::min((least + 2) / ratio - 1, (static_cast<double>(extent) + 1 - least) / ratio - (static_cast<double>(outputs) - 1));
  const philox::block drawn = source();
  const double moved = unit_double(drawn[0], drawn[1]) * most;
  cuts[0] = 0;
  for (std::int64_t i = 1; i < outputs; ++i)
    cuts[i] = static_cast<std::int64_t>(std::ceil(ratio * (static_cast<double>(i) + moved))) - 1;
  cuts[outputs] = extent;
}

// Sets the windows between the cuts. Fails if one has no element. Elements beyond the last one are not counted.
FLOWGRAPH_COLD inline bool cut(cpu ctx, pool_axis& axis, std::int64_t extent, view<const std::int64_t> cuts, bool overlapping) {
  axis.extent = axis.size = extent;
  axis.outputs = static_cast<std::int64_t>(cuts.size()) - 1;
  axis.cuts = cuts.data();
  axis.overlap = overlapping ? 1 : 0;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    if (cuts[i] >= 0 && cuts[i] < extent && cuts[i + 1] > cuts[i]) continue;
    return fail_check(ctx, "expected cuts that give every window at least one element of the images");
  }
  return true;
}

FLOWGRAPH_COLD inline bool cut_images(cpu ctx, pool_sizes& s, const shape& x, view<const std::int64_t> rows,
                                      view<const std::int64_t> columns, bool overlapping) {
  s.images = x[0];
  s.depth = x[3];
  if (!cut(ctx, s.rows, x[1], rows, overlapping) || !cut(ctx, s.columns, x[2], columns, overlapping)) return false;
  s.rows.size = x[1] / std::max<std::int64_t>(1, s.rows.outputs) + 1;
  s.columns.size = x[2] / std::max<std::int64_t>(1, s.columns.outputs) + 1;
  return true;
}

// Returns the stream for the cuts. Deterministic pools draw from their seeds in every run. Others draw from the name of their
// node, and each run continues after the previous one.
FLOWGRAPH_COLD inline philox source_of_cuts(cpu ctx, const fractional_pool_attributes& a, std::size_t cuts) {
  if (!a.deterministic) return source_with(ctx, {}, cuts);
  if (a.seed == 0 && a.seed2 == 0) return philox(0, stream_of_name(ctx));
  return philox(static_cast<std::uint64_t>(a.seed), static_cast<std::uint64_t>(a.seed2));
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE bool detail::draw_cuts(cpu ctx, const fractional_pool_attributes& a, const shape& x,
                                                              view<std::int64_t> rows, view<std::int64_t> columns) {
  if (a.pooling_ratio[0] != 1 || a.pooling_ratio[3] != 1) {
    ctx.fail(error_code::unimplemented, "pooling_ratio must be 1 for images and channels");
    return false;
  }
  const std::int64_t outputs[2] = {static_cast<std::int64_t>(rows.size()) - 1, static_cast<std::int64_t>(columns.size()) - 1};
  philox source = source_of_cuts(ctx, a, rows.size() + columns.size());
  const auto draw = a.pseudo_random ? space_windows : shuffle_windows;
  draw(source, x[1], rows.data(), outputs[0]);
  source.skip(a.pseudo_random ? 1 : static_cast<std::uint64_t>(outputs[0] + 3) / 4);
  draw(source, x[2], columns.data(), outputs[1]);
  return true;
}

template <class T>
void fractional_max_pool_op::operator()(cpu ctx, view<const T> x, view<T> y, view<std::int64_t> rows,
                                        view<std::int64_t> columns) const {
  detail::pool_sizes s;
  if (!detail::draw_cuts(ctx, *this, x.shape(), rows, columns)) return;
  if (detail::cut_images(ctx, s, x.shape(), rows, columns, overlapping)) detail::max_pool(ctx, s, x.data(), y.data());
}

template <class T>
void fractional_avg_pool_op::operator()(cpu ctx, view<const T> x, view<T> y, view<std::int64_t> rows,
                                        view<std::int64_t> columns) const {
  detail::pool_sizes s;
  if (!detail::draw_cuts(ctx, *this, x.shape(), rows, columns)) return;
  if (detail::cut_images(ctx, s, x.shape(), rows, columns, overlapping)) detail::mean_pool(ctx, s, x.data(), y.data());
}

template <class T>
void fractional_max_pool_grad_op::operator()(cpu ctx, view<const T> x, view<const T> y, view<const T> dy,
                                             view<const std::int64_t> rows, view<const std::int64_t> columns, view<T> dx) const {
  detail::pool_sizes s;
  if (!detail::cut_images(ctx, s, x.shape(), rows, columns, overlapping)) return;
  // An output of other windows would move its gradient to wrong places.
  std::atomic<bool> same{true};
  ctx.parallel_ranges(s.pixels(), s.pixels_per_block(), [&](std::int64_t begin, std::int64_t end) {
    s.for_each_window(begin, end, [&](std::int64_t pixel, const detail::pool_sizes::box& box) {
      for (std::int64_t c = 0; c < s.depth; ++c) {
        std::int64_t where = 0;
        detail::find_largest(s, x.data(), box, c, c + 1, &where);
        if (x.data()[where] != y.data()[pixel * s.depth + c] && x.data()[where] == x.data()[where])
          same.store(false, std::memory_order_relaxed);
      }
    });
  });
  if (!same) return ctx.fail("the output does not belong to these images and cuts");
  detail::max_pool_gradient(ctx, s, x.data(), dy.data(), dx.data());
}

// Windows share rows and columns only with their neighbours, so each element looks for the windows that contain it.
template <class T>
void fractional_avg_pool_grad_op::operator()(cpu ctx, view<const std::int64_t>, view<const T> dy, view<const std::int64_t> rows,
                                             view<const std::int64_t> columns, view<T> dx) const {
  detail::pool_sizes s;
  if (!detail::cut_images(ctx, s, dx.shape(), rows, columns, overlapping)) return;
  const auto over = [](const detail::pool_axis& axis, std::int64_t at) {
    const std::int64_t *const begin = axis.cuts, *const end = axis.cuts + axis.outputs;
    const std::int64_t next = std::upper_bound(begin, end, at) - begin;
    std::int64_t first = next;
    while (first > 0 && axis.last(first - 1) > at) --first;
    return std::pair(first, next);
  };
  const std::int64_t grain = std::max<std::int64_t>(1, (1 << 13) / std::max<std::int64_t>(1, s.columns.extent * s.depth));
  ctx.parallel_ranges(s.images * s.rows.extent, grain, [&](std::int64_t begin, std::int64_t end) {
    double sum[detail::pool_channels];
    for (std::int64_t row = begin; row < end; ++row) {
      const auto [top, bottom] = over(s.rows, row % s.rows.extent);
      for (std::int64_t column = 0; column < s.columns.extent; ++column) {
        const auto [left, right] = over(s.columns, column);
        for (std::int64_t first = 0; first < s.depth; first += detail::pool_channels) {
          const std::int64_t n = std::min(detail::pool_channels, s.depth - first);
          std::fill_n(sum, n, 0.);
          for (std::int64_t i = top; i < bottom; ++i) {
            for (std::int64_t j = left; j < right; ++j) {
              const std::int64_t pixel = (row / s.rows.extent * s.rows.outputs + i) * s.columns.outputs + j;
              const auto size = static_cast<double>(s.at(pixel).size());
              const T* from = dy.data() + pixel * s.depth + first;
              for (std::int64_t c = 0; c < n; ++c) sum[c] += static_cast<double>(from[c]) / size;
            }
          }
          T* to = dx.data() + (row * s.columns.extent + column) * s.depth + first;
          for (std::int64_t c = 0; c < n; ++c) to[c] = static_cast<T>(sum[c]);
        }
      }
    }
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
