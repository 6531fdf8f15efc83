#pragma once
// Convolutions as products: the windows of an image side by side as the rows of a matrix.

#include <flowgraph/ops/nn/window.hpp>

#include <algorithm>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

struct convolution_axis {
  std::int64_t extent = 1, filter = 1, outputs = 1, step = 1, dilation = 1;
  std::int64_t start = 0;  // elements of the first window that are in the border

  std::int64_t reach() const { return (filter - 1) * dilation + 1; }
  bool is_pointwise() const { return filter == 1 && step == 1 && outputs == extent; }
};

// The sizes of a convolution of volumes. For images, there is one plane.
struct convolution_sizes {
  std::int64_t images = 0, depth = 0, group_depth = 0, outputs = 0;
  convolution_axis planes, rows, columns;

  std::int64_t groups() const { return group_depth > 0 ? depth / group_depth : 1; }
  std::int64_t group_outputs() const { return outputs / groups(); }
  std::int64_t inner() const { return planes.filter * rows.filter * columns.filter * group_depth; }
  std::int64_t plane_pixels() const { return rows.outputs * columns.outputs; }
  std::int64_t image_pixels() const { return planes.outputs * plane_pixels(); }
  std::int64_t pixels() const { return images * image_pixels(); }
  // Returns whether the images already are the matrix.
  bool is_pointwise() const { return planes.is_pointwise() && rows.is_pointwise() && columns.is_pointwise() && groups() == 1; }
  // Returns the work of the convolution, in multiplications.
  std::int64_t work() const { return pixels() * inner() * group_outputs() * groups(); }
};
// Returns the sizes for four or five axes; channels are the last axis.
convolution_sizes sizes_of(const window_terms& t, const shape& x, const shape& filter);

// Limits of the number of parts, and of the rows that are unrolled at a time. They depend only on sizes.
inline constexpr std::int64_t convolution_parts = 16;
inline constexpr std::int64_t unrolled_bytes = 512 * 1024;
inline constexpr std::int64_t most_unrolled_rows = 768, least_unrolled_rows = 48;
constexpr std::int64_t unrolled_rows(std::int64_t inner, std::int64_t element_size) {
  const std::int64_t rows = unrolled_bytes / (inner > 0 ? inner * element_size : 1) / least_unrolled_rows * least_unrolled_rows;
  return rows < least_unrolled_rows ? least_unrolled_rows : rows > most_unrolled_rows ? most_unrolled_rows : rows;
}
// Returns the room for these rows, for elements of up to 8 bytes.
constexpr std::int64_t unrolled_room(std::int64_t inner) {
  const std::int64_t least = least_unrolled_rows * inner * 8;
  return least > unrolled_bytes ? least : unrolled_bytes;
}
inline std::int64_t parts_of_work(std::int64_t work) {
  const std::int64_t parts = work >> 20;
  return parts < 1 ? 1 : parts > convolution_parts ? convolution_parts : parts;
}

// Elements [first_inner, last_inner) of the windows of pixels [first, last), a row each; zeros if an element is in the border.
struct unrolled_part {
  std::int64_t first, last, first_inner, last_inner, group;
};
void unroll(const convolution_sizes& s, std::size_t element_size, const void* x, const unrolled_part& part, void* to);

// The part inside of the image of one row of a window: `size` elements, of a row of the unrolled matrix from `inner` on, and of x
// from `at` on.
struct window_run {
  std::int64_t inner, at, size;
};
// Calls f(run) for each run of the window of a pixel, in order. Skips planes of x outside of [first_plane, last_plane).
template <class F>
void for_each_run(const convolution_sizes& s, std::int64_t pixel, std::int64_t group, std::int64_t first_plane,
                  std::int64_t last_plane, F&& f) {
  const std::int64_t image = pixel / s.image_pixels(), place = pixel % s.image_pixels();
  const std::int64_t line = place / s.columns.outputs;
  const std::int64_t front = line / s.rows.outputs * s.planes.step - s.planes.start;
  const std::int64_t top = line % s.rows.outputs * s.rows.step - s.rows.start;
  const std::int64_t left = place % s.columns.outputs * s.columns.step - s.columns.start;
  const bool whole_rows = s.columns.dilation == 1 && s.groups() == 1;
  for (std::int64_t k = 0; k < s.planes.filter; ++k) {
    const std::int64_t plane = front + k * s.planes.dilation;
    if (plane < first_plane || plane >= last_plane) continue;
    for (std::int64_t i = 0; i < s.rows.filter; ++i) {
      const std::int64_t row = top + i * s.rows.dilation;
      if (row < 0 || row >= s.rows.extent) continue;
      const std::int64_t begin = ((image * s.planes.extent + plane) * s.rows.extent + row) * s.columns.extent;
      const std::int64_t inner = (k * s.rows.filter + i) * s.columns.filter;
      if (whole_rows) {
        const std::int64_t from = left < 0 ? -left : 0;
        const std::int64_t to = s.columns.extent - left < s.columns.filter ? s.columns.extent - left : s.columns.filter;
        if (from < to) f(window_run{(inner + from) * s.depth, (begin + left + from) * s.depth, (to - from) * s.depth});
        continue;
      }
      for (std::int64_t j = 0; j < s.columns.filter; ++j) {
        const std::int64_t column = left + j * s.columns.dilation;
        if (column < 0 || column >= s.columns.extent) continue;
        f(window_run{(inner + j) * s.group_depth, (begin + column) * s.depth + group * s.group_depth, s.group_depth});
      }
    }
  }
}

// Returns the number of outputs, from this one on, whose windows have the same elements inside of the axis.
inline std::int64_t alike_outputs(const convolution_axis& axis, std::int64_t output) {
  std::int64_t alike = axis.outputs - output;
  for (std::int64_t j = 0; j < axis.filter; ++j) {
    const std::int64_t at = output * axis.step - axis.start + j * axis.dilation;
    if (at < axis.extent) alike = std::min(alike, ((at < 0 ? 0 : axis.extent) - at + axis.step - 1) / axis.step);
  }
  return alike;
}

// Returns whether a gathered product, whose tiles have one width, wastes little of it for this number of columns.
constexpr bool fills_panels(std::int64_t columns) { return columns % 32 == 0 || columns % 32 > 16 || columns > 96; }

// The outputs whose windows have element `i` of an axis of the filter at one of the elements [begin, end) of the axis.
struct output_range {
  std::int64_t first, last;

  output_range(const convolution_axis& axis, std::int64_t i, std::int64_t begin, std::int64_t end) {
    const std::int64_t from = begin + axis.start - i * axis.dilation, to = end + axis.start - i * axis.dilation;
    first = from > 0 ? (from + axis.step - 1) / axis.step : 0;
    last = std::min(axis.outputs, to > 0 ? (to + axis.step - 1) / axis.step : 0);
  }
};

// Whether each element of the filter adds its products to the images in place. All sums of one product must be in one block.
inline bool adds_in_place(const convolution_sizes& s) {
  return fills_panels(s.group_depth) && s.group_outputs() >= 8 && s.group_outputs() <= 256;
}

// The number of images whose gradients are computed together: they and their slopes fit into the second-level cache.
inline std::int64_t images_at_once(const convolution_sizes& s, std::size_t element_size) {
  const std::int64_t size = s.planes.extent * s.rows.extent * s.columns.extent * s.depth + s.image_pixels() * s.outputs;
  return std::clamp<std::int64_t>(unrolled_bytes / std::max<std::int64_t>(1, size * static_cast<std::int64_t>(element_size)), 1,
                                  16);
}

// The runs with which a convolution reads windows in place, as the rows of a gathered product. A run is one element of the window
// with all channels of its group.
struct window_runs {
  static constexpr std::int64_t panel = 192;  // the rows of the product at a time
  // If at most this number of rows remain, the last panel has them too, because each panel reads the filter again.
  static constexpr std::int64_t rest = 24;
  static constexpr std::int64_t most = panel + rest;
  static constexpr std::int64_t images_together = 12;

  bool in_place = false;       // otherwise a product of copies of the windows is faster
  bool across_images = false;  // adjacent rows of the product are the same pixel of several images
  std::int64_t count = 0, size = 0;

  explicit window_runs(const convolution_sizes& s);
  static std::int64_t panel_end(std::int64_t first, std::int64_t last) { return last - first <= most ? last : first + panel; }
  // Returns the room of a part without that of its product, in bytes.
  std::size_t room() const { return static_cast<std::size_t>((most * (count + 1) + size) * 8); }
};
// Writes the places of the windows of rows [first, last) of the product, a line of `window_runs::most` places for each run,
// and the places of their outputs.
void place_windows(const convolution_sizes& s, const window_runs& runs, std::int64_t group, std::int64_t first, std::int64_t last,
                   std::int64_t* places, std::int64_t* targets);

// Returns the number of bands of planes in which the gradient of the images is computed if there are few images.
std::int64_t bands_of(const window_terms& t, const shape& dy);

// The parts of the gradient of the filter. Its rows are computed separately. If they are few, sums over segments of the pixels
// are computed separately too, and added in order.
struct filter_plan {
  static constexpr std::int64_t segment_bytes = 256 * 1024;  // the greatest size of the sums of one segment
  std::int64_t parts, segments;
  std::size_t product_share;
};
filter_plan plan_filter(const shape& x, const shape& dy);

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
