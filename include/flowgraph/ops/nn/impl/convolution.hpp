#pragma once

#include <flowgraph/ops/shared/detail/move.hpp>
#include <flowgraph/ops/shared/detail/packed_matrix.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/nn/detail/unroll.hpp>

#include <cstring>

#include <flowgraph/hide_names.hpp>

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

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::convolution_shape(shape_context& c, const window_terms& t, int rank, const shape& x,
                                                                const shape& filter) {
  const shape all_axes = shape::unknown_of_rank(rank);
  if (!fits(x, all_axes) || !fits(filter, all_axes)) return c.fail(message{"expected a batch and a filter of ", rank, " axes"});
  const shape images = merged(x, all_axes), f = merged(filter, all_axes);
  const int first = t.channels_first ? 2 : 1, depth_axis = t.channels_first ? 1 : rank - 1;
  shape sizes = all_axes;
  for (int axis = 0; axis < rank; ++axis) sizes[axis] = 1;
  for (int i = 0; i < rank - 2; ++i) sizes[first + i] = f[i];
  const windows w = windows_of(c, t, sizes);
  if (c.failed()) return shape::unknown();
  for (int axis = 0; axis < (rank == 5 ? rank : 2); ++axis)
    if (f[axis] == 0) return c.fail("the filter must not be empty");
  const std::int64_t depth = images[depth_axis], filter_depth = f[rank - 2], outputs = f[rank - 1];
  if (depth >= 0 && filter_depth >= 0) {
    if (rank == 5 && depth != filter_depth) return c.fail("the depth of the volumes must be that of the filter");
    if (filter_depth == 0 || depth == 0 ? depth != filter_depth : depth % filter_depth != 0)
      return c.fail("the depth of the images must be a multiple of that of the filter");
    if (depth > 0 && filter_depth > 0 && outputs >= 0 && outputs % (depth / filter_depth) != 0)
      return c.fail("the groups of channels must divide the outputs");
  }
  shape result = all_axes;
  result[0] = images[0];
  for (int axis = first; axis < first + rank - 2; ++axis)
    result[axis] = window_outputs(c, w[static_cast<std::size_t>(axis)], images[axis], t.padding);
  result[depth_axis] = outputs;
  return result;
}

FLOWGRAPH_INLINE bool detail::check_convolution(shape_context& c, const window_terms& t, int rank, const shape& x,
                                                const shape& filter, const shape& dy) {
  const shape y = convolution_shape(c, t, rank, x, filter);
  if (!c.failed() && !fits(dy, y)) c.fail(message{"expected a gradient of shape ", y});
  return !c.failed();
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::convolution_input_shape(shape_context& c, const window_terms& t, int rank,
                                                                      const shape& sizes, const shape& filter, const shape& dy) {
  shape result = vector_of_integers(c, 0, sizes, "input_sizes");
  if (c.failed()) return result;
  for (const std::int64_t extent : result)
    if (extent < 0) return c.fail("input_sizes must not be negative");
  const shape all_axes = shape::unknown_of_rank(rank);
  const shape f = merged(fits(filter, all_axes) ? filter : shape::unknown(), all_axes);
  const image_axes axes(t.channels_first ? data_format::nchw : data_format::nhwc);
  // Two sizes are those of rows and columns; the others follow.
  if (result.rank == 2 && rank == 4 && fits(dy, all_axes)) {
    shape all = all_axes;
    all[axes.batch] = dy.has_rank() ? dy[axes.batch] : -1;
    all[axes.rows] = result[0];
    all[axes.columns] = result[1];
    all[axes.depth] = f[2];
    result = all;
  }
  if (!result.has_rank()) {
    result = all_axes;
    if (dy.rank == rank) result[0] = dy[0];
    return result;
  }
  return check_convolution(c, t, rank, result, filter, dy) ? result : shape::unknown();
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE shape detail::convolution_filter_shape(shape_context& c, const window_terms& t, int rank,
                                                                       const shape& x, const shape& sizes, const shape& dy) {
  const shape result = vector_of_integers(c, 1, sizes, "filter_sizes");
  if (c.failed()) return result;
  if (!result.has_rank()) return shape::unknown_of_rank(rank);
  for (const std::int64_t extent : result)
    if (extent < 0) return c.fail("filter_sizes must not be negative");
  return check_convolution(c, t, rank, x, result, dy) ? result : shape::unknown();
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE detail::convolution_sizes detail::sizes_of(const window_terms& t, const shape& x,
                                                                           const shape& filter) {
  const int rank = x.rank;
  const auto along = [&](int axis) {
    const auto i = static_cast<std::size_t>(axis);
    window w{filter[axis - 1], t.strides[i], t.dilations.empty() ? 1 : t.dilations[i], 0, 0};
    if (t.padding == padding::explicit_) w.before = t.explicit_paddings[2 * i], w.after = t.explicit_paddings[2 * i + 1];
    return convolution_axis{x[axis], w.size, w.outputs(x[axis], t.padding), w.step, w.dilation, w.start(x[axis], t.padding)};
  };
  convolution_sizes s{x[0], x[-1], filter[-2], filter[-1], along(1), {}, along(rank - 2)};
  if (rank == 5) s.rows = along(2);
  return s;
}

namespace detail {

// A run of the window of a pixel, in bytes from the pixel's first element of x and from the pixel's row on.
struct copied_run {
  std::ptrdiff_t from;
  std::size_t to, size;
};

// Copies at least `size` bytes, as a few blocks.
inline void copy_blocks(std::byte* to, const std::byte* from, std::size_t size) {
  for (std::size_t done = 0; done < size; done += 32) std::memcpy(to + done, from + done, 32);
}

// Copies the windows of single pixels, with runs of any sizes and zeros between them.
inline void unroll_pixel(const convolution_sizes& s, std::size_t element_size, const std::byte* x, std::int64_t pixel,
                         const unrolled_part& part, std::byte* row) {
  std::int64_t done = part.first_inner;
  const auto clear_until = [&](std::int64_t inner) {
    if (inner > done)
      std::memset(row + static_cast<std::size_t>(done - part.first_inner) * element_size, 0,
                  static_cast<std::size_t>(inner - done) * element_size);
  };
  for_each_run(s, pixel, part.group, 0, s.planes.extent, [&](const window_run& run) {
    const std::int64_t begin = std::max(run.inner, part.first_inner), end = std::min(run.inner + run.size, part.last_inner);
    if (begin >= end) return;
    clear_until(begin);
    std::memcpy(row + static_cast<std::size_t>(begin - part.first_inner) * element_size,
                x + static_cast<std::size_t>(run.at + begin - run.inner) * element_size,
                static_cast<std::size_t>(end - begin) * element_size);
    done = end;
  });
  clear_until(part.last_inner);
}

// Finds the runs of a pixel and returns their number, or returns -1 if they are long, or only a part of the window is to be
// copied.
template <std::size_t N>
int short_runs(const convolution_sizes& s, std::size_t element_size, std::int64_t pixel, const unrolled_part& part,
               copied_run (&runs)[N]) {
  const std::int64_t rows = s.planes.filter * s.rows.filter, size = s.columns.filter * s.depth;
  if (s.columns.dilation != 1 || s.groups() != 1 || rows > static_cast<std::int64_t>(N) || part.first_inner != 0 ||
      part.last_inner != s.inner() || size * static_cast<std::int64_t>(element_size) > 256)
    return -1;
  int found = 0;
  for_each_run(s, pixel, part.group, 0, s.planes.extent, [&](const window_run& run) {
    runs[found++] = {static_cast<std::ptrdiff_t>(run.at) * static_cast<std::ptrdiff_t>(element_size),
                     static_cast<std::size_t>(run.inner) * element_size, static_cast<std::size_t>(run.size) * element_size};
  });
  return found;
}

}  // namespace detail

// Short runs are copied in blocks, and the elements that were too many are overwritten.
FLOWGRAPH_INLINE void detail::unroll(const convolution_sizes& s, std::size_t element_size, const void* x,
                                     const unrolled_part& part, void* to) {
  constexpr std::size_t block = 32;
  copied_run runs[16];
  const auto* from = static_cast<const std::byte*>(x);
  auto* row = static_cast<std::byte*>(to);
  const std::size_t width = static_cast<std::size_t>(part.last_inner - part.first_inner) * element_size;
  const auto end = static_cast<std::ptrdiff_t>(
      static_cast<std::size_t>(s.images * s.planes.extent * s.rows.extent * s.columns.extent * s.depth) * element_size);
  const auto step = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(s.columns.step * s.depth) * element_size);
  for (std::int64_t pixel = part.first; pixel < part.last;) {
    const int found = short_runs(s, element_size, pixel, part, runs);
    std::int64_t alike = 0;
    if (found > 0) {
      const copied_run& last = runs[found - 1];
      const std::ptrdiff_t room = end - last.from - static_cast<std::ptrdiff_t>(last.size + block);
      alike = std::min(alike_outputs(s.columns, pixel % s.columns.outputs), part.last - 1 - pixel);
      alike = std::min<std::int64_t>(alike, room < 0 ? 0 : room / step + 1);
    }
    for (std::int64_t i = 0; i < alike; ++i, row += width) {
      std::size_t done = 0;
      for (int r = 0; r < found; ++r) {
        if (runs[r].to > done) std::memset(row + done, 0, runs[r].to - done);
        copy_blocks(row + runs[r].to, from + runs[r].from + i * step, runs[r].size);
        done = runs[r].to + runs[r].size;
      }
      if (width > done) std::memset(row + done, 0, width - done);
    }
    pixel += alike;
    if (alike > 0) continue;
    unroll_pixel(s, element_size, from, pixel++, part, row);
    row += width;
  }
}

FLOWGRAPH_INLINE detail::window_runs::window_runs(const convolution_sizes& s) {
  in_place = s.pixels() >= images_together && s.group_depth >= 8 && fills_panels(s.group_outputs());
  across_images =
      s.images >= images_together && s.image_pixels() <= 1024 && s.inner() <= 1024;  // windows of 12 images are in the cache
  count = s.planes.filter * s.rows.filter * s.columns.filter;
  size = s.group_depth;
}

namespace detail {

// Pixels, `image_step` images or one column apart, whose windows have the same elements within the image.
struct alike_pixels {
  std::int64_t count, image, plane, row, column, x_step, first, step;

  // Of the rows of a product from `at` on.
  alike_pixels(const convolution_sizes& s, bool across_images, std::int64_t at, std::int64_t most) {
    const std::int64_t size = s.image_pixels(), together = window_runs::images_together;
    std::int64_t pixel = at % size;
    image = at / size;
    if (across_images) {
      const std::int64_t first_image = image / together * together, images = std::min(together, s.images - first_image);
      const std::int64_t place = at - first_image * size;
      pixel = place / images;
      image = first_image + place % images;
      count = std::min(most, images - place % images);
    }
    column = pixel % s.columns.outputs;
    row = pixel / s.columns.outputs % s.rows.outputs;
    plane = pixel / s.plane_pixels();
    if (!across_images) count = std::min(most, alike_outputs(s.columns, column));
    x_step = across_images ? s.planes.extent * s.rows.extent * s.columns.extent * s.depth : s.columns.step * s.depth;
    first = image * size + pixel;
    step = across_images ? size : 1;
  }
};

}  // namespace detail

FLOWGRAPH_INLINE void detail::place_windows(const convolution_sizes& s, const window_runs& runs, std::int64_t group,
                                            std::int64_t first, std::int64_t last, std::int64_t* places, std::int64_t* targets) {
  for (std::int64_t at = first; at < last;) {
    const alike_pixels p(s, runs.across_images, at, last - at);
    for (std::int64_t i = 0; i < p.count; ++i) targets[i] = (p.first + i * p.step) * s.outputs;
    const std::int64_t left = p.column * s.columns.step - s.columns.start;
    std::int64_t* to = places;
    for (std::int64_t k = 0; k < s.planes.filter * s.rows.filter; ++k) {
      const std::int64_t plane = p.plane * s.planes.step - s.planes.start + k / s.rows.filter * s.planes.dilation;
      const std::int64_t row = p.row * s.rows.step - s.rows.start + k % s.rows.filter * s.rows.dilation;
      const bool inside = plane >= 0 && plane < s.planes.extent && row >= 0 && row < s.rows.extent;
      const std::int64_t line = ((p.image * s.planes.extent + plane) * s.rows.extent + row) * s.columns.extent;
      for (std::int64_t j = 0; j < s.columns.filter; ++j, to += window_runs::most) {
        const std::int64_t column = left + j * s.columns.dilation;
        const std::int64_t from = (line + column) * s.depth + group * s.group_depth;
        if (!inside || column < 0 || column >= s.columns.extent) std::fill_n(to, p.count, kernel::gathered_shape::zero);
        else
          for (std::int64_t i = 0; i < p.count; ++i) to[i] = from + i * p.x_step;
      }
    }
    at += p.count;
    places += p.count;
    targets += p.count;
  }
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t detail::convolution_scratch(const window_terms& t, const shape& x,
                                                                        const shape& filter) {
  if (t.channels_first) return 0;
  const convolution_sizes s = sizes_of(t, x, filter);
  const std::int64_t m = s.pixels(), n = s.group_outputs(), k = s.inner();
  if (s.is_pointwise()) return parallel_product_scratch({m, n, k, k, n, n, false, false, false});
  const std::size_t one = product_scratch({std::min(m, most_unrolled_rows), n, k, k, s.outputs, s.outputs, false, false, false});
  auto room = static_cast<std::size_t>(std::min(unrolled_room(k), m * k * 8));
  if (const window_runs runs(s); runs.in_place) room = std::max(room, runs.room());
  return static_cast<std::size_t>(parts_of_work(s.work())) * (one + round_up_bytes(room));
}

// Groups of channels read parts of the filter, and a single pixel needs wide tiles, which read the filter in place.
FLOWGRAPH_COLD FLOWGRAPH_INLINE std::shared_ptr<const detail::packed_weights> conv2d_op::packed(const flowgraph::shape& x,
                                                                                                const any_tensor& filter) const {
  const flowgraph::shape& f = filter.shape();
  if (data_format != flowgraph::data_format::nhwc || x.rank != 4 || f.rank != 4 || filter.size() == 0) return nullptr;
  const bool is_one_pixel = x[0] == 1 && x[1] == 1 && x[2] == 1;
  if (x[3] != f[2] || is_one_pixel) return nullptr;
  return detail::packed_copy({f[0] * f[1] * f[2], f[3]}, filter);
}

// Of a plane, a few rows are worth the border that bands have in common; of a volume, a few planes.
FLOWGRAPH_INLINE std::int64_t detail::bands_of(const window_terms& t, const shape& dy) {
  const std::int64_t images = std::max<std::int64_t>(1, dy[0]), planes = dy[1] * t.strides[1];
  return std::clamp<std::int64_t>((convolution_parts + images - 1) / images, 1,
                                  std::max<std::int64_t>(1, planes / (dy.rank == 5 ? 4 : 16)));
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t detail::convolution_input_scratch(const window_terms& t, const shape& filter,
                                                                              const shape& dy) {
  if (t.channels_first) return 0;
  const int rank = dy.rank;
  const std::int64_t pixels = product_of(dy, 0, rank - 1), k = product_of(filter, 0, rank - 1), n = filter[rank - 1];
  const std::size_t one = product_scratch({most_unrolled_rows, k, n, n, n, k, false, true, false});
  const std::int64_t parts = std::min(parts_of_work(pixels * k * n), std::max<std::int64_t>(1, dy[0]) * bands_of(t, dy));
  const std::size_t whole = parallel_product_scratch({pixels, k, n, n, n, k, false, true, false});
  return std::max(whole, static_cast<std::size_t>(parts) * (one + round_up_bytes(static_cast<std::size_t>(unrolled_room(k)))));
}

// The size of the filter is no shape here: the plan takes it to be 3 along each axis.
FLOWGRAPH_INLINE detail::filter_plan detail::plan_filter(const shape& x, const shape& dy) {
  const int rank = dy.rank;
  const std::int64_t pixels = product_of(dy, 0, rank - 1), outputs = dy[-1], depth = x[-1];
  filter_plan plan;
  plan.parts = parts_of_work((rank == 5 ? 27 : 9) * pixels * outputs * depth);
  plan.segments = std::clamp<std::int64_t>(pixels / 1024, 1, plan.parts);
  plan.product_share = product_scratch({1024, outputs, 1024, 1024, outputs, outputs, true, false, false});
  return plan;
}

FLOWGRAPH_COLD FLOWGRAPH_INLINE std::size_t detail::convolution_filter_scratch(const window_terms& t, const shape& x,
                                                                               const shape& dy) {
  if (t.channels_first) return 0;
  const filter_plan plan = plan_filter(x, dy);
  return static_cast<std::size_t>(plan.parts) * static_cast<std::size_t>(plan.product_share + unrolled_bytes) +
         static_cast<std::size_t>(plan.segments * filter_plan::segment_bytes);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
