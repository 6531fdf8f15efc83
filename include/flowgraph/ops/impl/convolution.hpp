#pragma once

#include <flowgraph/ops/detail/product.hpp>
#include <flowgraph/ops/detail/shape_rule.hpp>
#include <flowgraph/ops/detail/unroll.hpp>

#include <cstring>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_INLINE convolution_attributes attributes_of(const conv2d_options& options) {
  convolution_attributes a;
  a.strides = {1, options.strides[0], options.strides[1], 1};
  a.padding = options.padding;
  a.dilations = {1, options.dilations[0], options.dilations[1], 1};
  const auto& p = options.paddings;
  if (options.padding == padding::explicit_) a.explicit_paddings = {0, 0, p[0], p[1], p[2], p[3], 0, 0};
  return a;
}

namespace detail {

// The filter's extents in the order of an image's axes.
inline shape filter_windows(const shape& filter, data_format f) {
  shape sizes{1, 1, 1, 1};
  const image_axes axes(f);
  sizes[axes.rows] = filter[0];
  sizes[axes.columns] = filter[1];
  return sizes;
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::convolution_shape(shape_context& c, const convolution_attributes& a, const shape& x,
                                                 const shape& filter) {
  if (!fits(x, shape::unknown_of_rank(4)) || !fits(filter, shape::unknown_of_rank(4)))
    return c.fail("expected images and filters of four axes");
  const shape images = merged(x, shape::unknown_of_rank(4)), f = merged(filter, shape::unknown_of_rank(4));
  const image_axes axes(a.data_format);
  const image_windows w =
      windows_of(c, a.data_format, filter_windows(f, a.data_format), a.strides, a.dilations, a.padding, a.explicit_paddings);
  if (c.failed()) return shape::unknown();
  for (const int axis : {0, 1})
    if (f[axis] == 0) return c.fail("the filter must not be empty");
  const std::int64_t depth = images[axes.depth];
  if (depth >= 0 && f[2] >= 0 && (f[2] == 0 ? depth != 0 : depth % f[2] != 0))
    return c.fail("the depth of the images must be a multiple of that of the filter");
  if (depth > 0 && f[2] > 0 && f[3] >= 0 && f[3] % (depth / f[2]) != 0)
    return c.fail("the groups of channels must divide the outputs");
  shape made = shape::unknown_of_rank(4);
  made[axes.batch] = images[axes.batch];
  made[axes.rows] = window_outputs(c, w.rows, images[axes.rows], a.padding);
  made[axes.columns] = window_outputs(c, w.columns, images[axes.columns], a.padding);
  made[axes.depth] = f[3];
  return made;
}

FLOWGRAPH_INLINE bool detail::check_convolution(shape_context& c, const convolution_attributes& a, const shape& x,
                                                const shape& filter, const shape& dy) {
  const shape y = convolution_shape(c, a, x, filter);
  if (!c.failed() && !fits(dy, y)) c.fail(words{"expected a gradient of shape ", y});
  return !c.failed();
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape conv2d_backprop_input_op::shape(shape_context& c, const flowgraph::shape& sizes,
                                                       const flowgraph::shape& filter, const flowgraph::shape& dy) const {
  using flowgraph::shape;
  shape made = detail::vector_of_integers(c, 0, sizes, "input_sizes");
  if (c.failed()) return made;
  for (const std::int64_t extent : made)
    if (extent < 0) return c.fail("input_sizes must not be negative");
  const shape f = merged(fits(filter, shape::unknown_of_rank(4)) ? filter : shape::unknown(), shape::unknown_of_rank(4));
  const detail::image_axes axes(data_format);
  // Two sizes are those of rows and columns; the others follow.
  if (made.rank == 2 && fits(dy, shape::unknown_of_rank(4))) {
    shape all = shape::unknown_of_rank(4);
    all[axes.batch] = dy.has_rank() ? dy[axes.batch] : -1;
    all[axes.rows] = made[0];
    all[axes.columns] = made[1];
    all[axes.depth] = f[2];
    made = all;
  }
  if (!made.has_rank()) {
    made = shape::unknown_of_rank(4);
    if (dy.rank == 4) made[axes.batch] = dy[axes.batch];
    return made;
  }
  return detail::check_convolution(c, *this, made, filter, dy) ? made : shape::unknown();
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape conv2d_backprop_filter_op::shape(shape_context& c, const flowgraph::shape& x,
                                                        const flowgraph::shape& sizes, const flowgraph::shape& dy) const {
  using flowgraph::shape;
  const shape made = detail::vector_of_integers(c, 1, sizes, "filter_sizes");
  if (c.failed()) return made;
  if (!made.has_rank()) return shape::unknown_of_rank(4);
  for (const std::int64_t extent : made)
    if (extent < 0) return c.fail("filter_sizes must not be negative");
  return detail::check_convolution(c, *this, x, made, dy) ? made : shape::unknown();
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE detail::convolution_sizes detail::sizes_of(const convolution_attributes& a, const shape& x,
                                                            const shape& filter) {
  shape_context unused;
  const image_axes axes(a.data_format);
  const image_windows w = windows_of(unused, a.data_format, filter_windows(filter, a.data_format), a.strides, a.dilations,
                                     a.padding, a.explicit_paddings);
  convolution_sizes s{x[axes.batch],
                      x[axes.rows],
                      x[axes.columns],
                      x[axes.depth],
                      filter[0],
                      filter[1],
                      filter[2],
                      filter[3],
                      0,
                      0,
                      w.rows,
                      w.columns,
                      0,
                      0};
  s.output_rows = w.rows.outputs(s.rows, a.padding);
  s.output_columns = w.columns.outputs(s.columns, a.padding);
  s.row_start = w.rows.start(s.rows, a.padding);
  s.column_start = w.columns.start(s.columns, a.padding);
  return s;
}

// Copies of a few bytes take no call.
namespace detail {

inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t n) {
  if (n == 4) std::memcpy(to, from, 4);
  else if (n == 12) std::memcpy(to, from, 12);
  else std::memcpy(to, from, n);
}

}  // namespace detail

FLOWGRAPH_INLINE void detail::unroll(const convolution_sizes& s, std::size_t element_size, const void* x,
                                     const unrolled_part& part, void* to) {
  const auto* from = static_cast<const std::byte*>(x);
  auto* row = static_cast<std::byte*>(to);
  const auto width = static_cast<std::size_t>(part.last_inner - part.first_inner);
  for (std::int64_t pixel = part.first; pixel < part.last; ++pixel, row += width * element_size) {
    std::int64_t done = part.first_inner;
    const auto clear_until = [&](std::int64_t inner) {
      if (inner > done)
        std::memset(row + static_cast<std::size_t>(done - part.first_inner) * element_size, 0,
                    static_cast<std::size_t>(inner - done) * element_size);
    };
    for_each_run(s, pixel, part.group, 0, s.rows, [&](const window_run& run) {
      const std::int64_t begin = std::max(run.inner, part.first_inner), end = std::min(run.inner + run.size, part.last_inner);
      if (begin >= end) return;
      clear_until(begin);
      copy_bytes(row + static_cast<std::size_t>(begin - part.first_inner) * element_size,
                 from + static_cast<std::size_t>(run.at + begin - run.inner) * element_size,
                 static_cast<std::size_t>(end - begin) * element_size);
      done = end;
    });
    clear_until(part.last_inner);
  }
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t detail::convolution_scratch(const convolution_attributes& a, const shape& x, const shape& filter) {
  const convolution_sizes s = sizes_of(a, x, filter);
  const std::int64_t m = s.pixels(), n = s.group_outputs(), k = s.inner();
  if (s.is_pointwise()) return parallel_product_scratch({m, n, k, k, n, n, false, false, false});
  const std::size_t one = product_scratch({std::min(m, most_unrolled_rows), n, k, k, s.outputs, s.outputs, false, false, false});
  const auto room = static_cast<std::size_t>(std::min(unrolled_room(k), m * k * 8));
  return static_cast<std::size_t>(parts_of_work(s.work())) * (one + round_up_bytes(room));
}

FLOWGRAPH_INLINE std::int64_t detail::bands_of(const convolution_attributes& a, const shape& dy) {
  const image_axes axes(a.data_format);
  const std::int64_t images = std::max<std::int64_t>(1, dy[axes.batch]);
  const std::int64_t rows = dy[axes.rows] * a.strides[static_cast<std::size_t>(axes.rows)];
  return std::clamp<std::int64_t>((convolution_parts + images - 1) / images, 1, std::max<std::int64_t>(1, rows / 16));
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t detail::convolution_input_scratch(const convolution_attributes& a, const shape& filter,
                                                               const shape& dy) {
  const image_axes axes(a.data_format);
  const std::int64_t pixels = dy[axes.batch] * dy[axes.rows] * dy[axes.columns];
  const std::int64_t k = filter[0] * filter[1] * filter[2], n = filter[3];
  const std::size_t one = product_scratch({most_unrolled_rows, k, n, n, n, k, false, true, false});
  const std::int64_t parts = std::min(parts_of_work(pixels * k * n), std::max<std::int64_t>(1, dy[axes.batch]) * bands_of(a, dy));
  const std::size_t whole = parallel_product_scratch({pixels, k, n, n, n, k, false, true, false});
  return std::max(whole, static_cast<std::size_t>(parts) * (one + round_up_bytes(static_cast<std::size_t>(unrolled_room(k)))));
}

// The size of the filter is no shape here: the plan takes it to be 3 x 3.
FLOWGRAPH_INLINE detail::filter_plan detail::plan_filter(const convolution_attributes& a, const shape& x, const shape& dy) {
  const image_axes axes(a.data_format);
  const std::int64_t pixels = dy[axes.batch] * dy[axes.rows] * dy[axes.columns], outputs = dy[axes.depth];
  filter_plan plan;
  plan.parts = parts_of_work(9 * pixels * outputs * x[axes.depth]);
  plan.segments = std::clamp<std::int64_t>(pixels / 1024, 1, plan.parts);
  plan.product_share = product_scratch({1024, outputs, 1024, 1024, outputs, outputs, true, false, false});
  return plan;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t detail::convolution_filter_scratch(const convolution_attributes& a, const shape& x,
                                                                const shape& dy) {
  const filter_plan plan = plan_filter(a, x, dy);
  return static_cast<std::size_t>(plan.parts) * (plan.product_share + unrolled_bytes) +
         static_cast<std::size_t>(plan.segments) * filter_plan::segment_bytes;
}

}  // namespace flowgraph
