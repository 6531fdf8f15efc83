#pragma once

#include <flowgraph/ops/nn/convolution.hpp>
#include <flowgraph/ops/shared/detail/packed_matrix.hpp>
#include <flowgraph/ops/nn/detail/unroll.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline bool check_channels(cpu ctx, const window_terms& t) {
  if (!t.channels_first) return true;
  ctx.fail(error_code::unimplemented, message{"the CPU has no kernels for channels that come first, as data_format='",
                                              t.count() == 2 ? "NCHW" : "NCDHW", "' says"});
  return false;
}

// Adds n elements to those at `to`.
template <class T> void add_to(T* to, const wide<T>* from, std::int64_t n) {
  if constexpr (has_level_product<T>) {
    if (n >= 32) return kernel::binary_loop<functor::add, T>().both(to, from, to, n);
  }
  for (std::int64_t i = 0; i < n; ++i) to[i] = narrowed<T>(static_cast<wide<T>>(widened(to[i]) + from[i]));
}

// The lines of images that the windows of pixels [first, last) read. The images have no planes.
struct image_lines {
  std::int64_t first_line, lines, width;  // copied lines, and their columns with the border

  image_lines(const convolution_sizes& s, std::int64_t first, std::int64_t last)
      : first_line(within_image(s, first, line(s, first / s.columns.outputs, 0))),
        width((s.columns.outputs - 1) * s.columns.step + s.columns.reach()) {
    const std::int64_t last_row = line(s, (last - 1) / s.columns.outputs, s.planes.filter - 1);
    lines = std::max<std::int64_t>(0, within_image(s, last - 1, last_row + 1) - first_line);
  }
  // The line of all images that row `i` of the filter reads for a line of pixels, also where it is in the border.
  static std::int64_t line(const convolution_sizes& s, std::int64_t of_pixels, std::int64_t i) {
    return of_pixels / s.planes.outputs * s.planes.extent + of_pixels % s.planes.outputs * s.planes.step - s.planes.start +
           i * s.planes.dilation;
  }
  // Moves a line that is in the border of the pixel's image to the nearest edge of the image: beyond, there are other images.
  static std::int64_t within_image(const convolution_sizes& s, std::int64_t pixel, std::int64_t line) {
    const std::int64_t image = pixel / s.image_pixels();
    return std::clamp(line, image * s.planes.extent, (image + 1) * s.planes.extent);
  }
  // The size of the copied lines, rounded up.
  std::int64_t bytes(const convolution_sizes& s, std::size_t element_size) const {
    return static_cast<std::int64_t>(round_up_bytes(static_cast<std::size_t>(lines * width * s.depth) * element_size));
  }
};

// Copies lines of images with their border.
template <class T> void copy_lines(const convolution_sizes& s, const image_lines& f, const T* x, T* to) {
  const std::int64_t left = std::min(s.columns.start, f.width),
                     inside = std::clamp<std::int64_t>(f.width - left, 0, s.columns.extent);
  for (std::int64_t i = 0; i < f.lines; ++i, to += f.width * s.depth) {
    std::fill_n(to, left * s.depth, T{});
    std::copy_n(x + (f.first_line + i) * s.columns.extent * s.depth, inside * s.depth, to + left * s.depth);
    std::fill_n(to + (left + inside) * s.depth, (f.width - left - inside) * s.depth, T{});
  }
}

// Returns whether a product reads the windows in copied lines. There, a row of a window is one run; in the images, a run would be
// one pixel of few channels. For one channel, copied lines are faster even if columns do not fill the tiles.
inline bool has_line_runs(const convolution_sizes& s) {
  return s.rows.filter == 1 && s.rows.extent == 1 && s.groups() == 1 && s.columns.dilation == 1 && s.columns.filter > 1 &&
         s.depth < 8 && (s.depth == 1 || fills_panels(s.outputs));
}

// The filter of a convolution, as a matrix with a row for each element of a window.
template <class T> struct filter_matrix {
  const T* at;
  std::int64_t k, n;  // its rows and columns
  const packed_weights* packed = nullptr;

  filter_matrix(cpu ctx, const convolution_sizes& s, const T* filter) : at(filter), k(s.inner()), n(s.outputs) {
    if (s.pixels() > 1) packed = packed_weights_of<T>(ctx);  // wide tiles for a single pixel read the filter in place
    if (packed) at = static_cast<const T*>(packed->panels.data());
  }
  // Whether all elements are finite, if it is known or this number of pixels is worth a look at all elements.
  bool is_finite(std::int64_t pixels) const { return packed ? packed->are_finite : pixels >= 256 && all_finite(at, k * n); }
  kernel::product_shape product(std::int64_t rows, std::int64_t columns, const result_finish* finish) const {
    return {rows, columns, k, k, n, n, false, false, false, finish, packed != nullptr};
  }
  const T* column(std::int64_t i) const { return at + position_of_column<T>(product(1, n, nullptr), i); }
};

// The scratch memory for the windows of pixels [first, last) in copied lines: first the lines, then these arrays.
struct line_windows : image_lines {
  std::int64_t places, targets, border, room;  // the position of each array in the memory, and the size of the memory, in bytes

  line_windows(const convolution_sizes& s, std::int64_t first, std::int64_t last, std::size_t element_size)
      : image_lines(s, first, last), places(bytes(s, element_size)), targets(places + s.planes.filter * (last - first) * 8),
        border(targets + (last - first) * 8),
        room(border + s.columns.filter * s.depth * static_cast<std::int64_t>(element_size)) {}
};

// Computes some of the outputs of pixels [first, last).
template <class T>
void convolve_lines(const convolution_sizes& s, const line_windows& f, const T* x, const filter_matrix<T>& filter, T* y,
                    std::int64_t first, std::int64_t last, std::int64_t first_output, std::int64_t last_output,
                    std::byte* scratch, std::byte* product_room, const result_finish* finish) {
  const std::int64_t pixels = last - first, run = s.columns.filter * s.depth;
  auto* const places = reinterpret_cast<std::int64_t*>(scratch + f.places);
  auto* const targets = reinterpret_cast<std::int64_t*>(scratch + f.targets);
  T* const border = reinterpret_cast<T*>(scratch + f.border);
  copy_lines(s, f, x, reinterpret_cast<T*>(scratch));
  std::fill_n(border, run, T{});
  for (std::int64_t at = 0; at < pixels;) {
    const std::int64_t of_pixels = (first + at) / s.columns.outputs, column = (first + at) % s.columns.outputs;
    const std::int64_t count = std::min(s.columns.outputs - column, pixels - at);
    for (std::int64_t i = 0; i < s.planes.filter; ++i) {
      const std::int64_t row = of_pixels % s.planes.outputs * s.planes.step - s.planes.start + i * s.planes.dilation;
      const bool inside = row >= 0 && row < s.planes.extent;
      const std::int64_t from = (image_lines::line(s, of_pixels, i) - f.first_line) * f.width + column * s.columns.step;
      for (std::int64_t j = 0; j < count; ++j)
        places[i * pixels + at + j] = inside ? (from + j * s.columns.step) * s.depth : kernel::gathered_shape::zero;
    }
    for (std::int64_t j = 0; j < count; ++j, ++at) targets[at] = (first + at) * s.outputs;
  }
  const auto product = kernel::dispatch([]<class L>(L) { return &L::template gathered_product<T>; });
  product({pixels, last_output - first_output, s.inner(), run, pixels, 1, 0, 1, places, nullptr, targets, s.outputs, false, false,
           false, finish, filter.packed != nullptr},
          reinterpret_cast<const T*>(scratch), border, filter.column(first_output), y + first_output,
          reinterpret_cast<T*>(product_room));
}

// One part of a convolution: some of the pixels, some of the outputs of each group.
template <class T>
void convolve_part(const convolution_sizes& s, const T* x, const filter_matrix<T>& filter, T* y, const unrolled_part& pixels,
                   std::int64_t first_output, std::int64_t last_output, std::byte* scratch, const result_finish* finish) {
  const std::int64_t inner = s.inner(), step = unrolled_rows(inner, sizeof(T));
  T* rows = reinterpret_cast<T*>(scratch);
  const std::int64_t room = std::min(unrolled_room(inner), s.pixels() * inner * 8);
  std::byte* const product_room = scratch + round_up_bytes(static_cast<std::size_t>(room));
  for (std::int64_t group = 0; group < s.groups(); ++group) {
    const std::int64_t column = group * s.group_outputs() + first_output;
    for (std::int64_t p = pixels.first; p < pixels.last; p += step) {
      const std::int64_t end = std::min(p + step, pixels.last);
      if constexpr (has_level_product<T>) {
        if (has_line_runs(s)) {
          if (const line_windows lines(s, p, end, sizeof(T)); lines.room <= room) {
            convolve_lines(s, lines, x, filter, y, p, end, first_output, last_output, scratch, product_room, finish);
            continue;
          }
        }
      }
      unroll(s, sizeof(T), x, {p, end, 0, inner, group}, rows);
      product(filter.product(end - p, last_output - first_output, finish), rows, filter.column(column),
              y + p * s.outputs + column, product_room);
    }
  }
}

// The same part by windows that are read in place.
template <class T>
void convolve_in_place(const convolution_sizes& s, const window_runs& runs, bool finite, const T* x,
                       const filter_matrix<T>& filter, T* y, const unrolled_part& rows, std::int64_t first_output,
                       std::int64_t last_output, std::byte* scratch, const result_finish* finish) {
  constexpr std::int64_t panel = window_runs::most;
  auto* const places = reinterpret_cast<std::int64_t*>(scratch);
  std::int64_t* const targets = places + panel * runs.count;
  T* const border = reinterpret_cast<T*>(targets + panel);
  T* const product_room = reinterpret_cast<T*>(scratch + round_up_bytes(runs.room()));
  std::fill_n(border, runs.size, T{});
  const auto product = kernel::dispatch([]<class L>(L) { return &L::template gathered_product<T>; });
  for (std::int64_t group = 0; group < s.groups(); ++group) {
    const std::int64_t column = group * s.group_outputs() + first_output;
    for (std::int64_t p = rows.first, end = p; p < rows.last; p = end) {
      end = window_runs::panel_end(p, rows.last);
      place_windows(s, runs, group, p, end, places, targets);
      product({end - p, last_output - first_output, s.inner(), runs.size, panel, 1, 0, 1, places, nullptr, targets, s.outputs,
               false, false, finite, finish, filter.packed != nullptr},
              x, border, filter.column(column), y + column, product_room);
    }
  }
}

// The parts of a convolution: blocks of pixels, and of the outputs of each group.
struct convolution_grid {
  // `step`: the pixels that one product has. `rest`: at most this number of pixels remain for the last block.
  convolution_grid(const convolution_sizes& s, std::int64_t step, std::int64_t rest)
      : step_(step), units_(std::max<std::int64_t>(1, (s.pixels() - rest + step - 1) / step)) {
    constexpr std::int64_t least_parts = 8, fewest_pixels = 24;
    const std::int64_t n = s.group_outputs(), parts = parts_of_work(s.work());
    // Each part of the outputs reads the images again, so the outputs are divided only if there are few pixels.
    rows = std::min(units_, parts);
    columns = std::clamp<std::int64_t>(n / 64, 1, parts / rows);
    if (rows * columns < std::min(parts, least_parts)) {  // products of fewer pixels, each of which reads the filter again
      step_ = fewest_pixels;
      units_ = (s.pixels() + step_ - 1) / step_;
      rows = std::min(units_, std::min(parts, least_parts) / columns);
    }
    width = ((n + columns - 1) / columns + 31) / 32 * 32;
  }
  std::int64_t first_pixel(std::int64_t row) const { return units_ * row / rows * step_; }

  std::int64_t rows, columns, width;  // the number of blocks of pixels and of outputs, and the outputs of a block

private:
  std::int64_t step_, units_;
};

template <class T>
void convolve(cpu ctx, const convolution_sizes& s, const T* x, const filter_matrix<T>& filter, T* y, std::size_t share) {
  const result_finish* const finish = finish_of<T>(ctx);
  const window_runs runs(s);
  const bool in_place = has_level_product<T> && runs.in_place;
  bool finite = false;
  if constexpr (has_level_product<T>) finite = in_place && filter.is_finite(s.pixels());
  const convolution_grid grid(s, in_place ? window_runs::panel : unrolled_rows(s.inner(), sizeof(T)),
                              in_place ? window_runs::rest : 0);
  ctx.parallel_for(grid.rows * grid.columns, [&](std::int64_t i) {
    const std::int64_t row = i / grid.columns, first_output = i % grid.columns * grid.width;
    const std::int64_t last_output = std::min(first_output + grid.width, s.group_outputs());
    if (first_output >= last_output) return;
    const std::int64_t last = row + 1 == grid.rows ? s.pixels() : grid.first_pixel(row + 1);
    const unrolled_part pixels{grid.first_pixel(row), last, 0, 0, 0};
    std::byte* const scratch = ctx.scratch() + static_cast<std::size_t>(i) * share;
    if constexpr (has_level_product<T>) {
      if (in_place) return convolve_in_place(s, runs, finite, x, filter, y, pixels, first_output, last_output, scratch, finish);
    }
    convolve_part(s, x, filter, y, pixels, first_output, last_output, scratch, finish);
  });
}

// Planes [first_plane, last_plane) of the gradient of one image: the products' rows, added where their windows lie.
template <class T>
void convolve_input_band(const convolution_sizes& s, const T* filter, const T* dy, T* dx, std::int64_t image,
                         std::int64_t first_plane, std::int64_t last_plane, std::byte* scratch) {
  const std::int64_t plane_size = s.rows.extent * s.columns.extent * s.depth, inner = s.inner(), n = s.group_outputs();
  const std::int64_t stride = s.planes.step, reach = s.planes.reach() - 1;
  std::fill_n(dx + (image * s.planes.extent + first_plane) * plane_size, (last_plane - first_plane) * plane_size, T{});
  const std::int64_t front = std::max<std::int64_t>(0, first_plane + s.planes.start - reach + stride - 1) / stride;
  const std::int64_t back = std::min((last_plane - 1 + s.planes.start) / stride + 1, s.planes.outputs);
  const std::int64_t begin = image * s.image_pixels() + front * s.plane_pixels(),
                     end = image * s.image_pixels() + back * s.plane_pixels();

  auto* rows = reinterpret_cast<wide<T>*>(scratch);
  std::byte* product_room = scratch + round_up_bytes(static_cast<std::size_t>(unrolled_room(inner)));
  const std::int64_t step = unrolled_rows(inner, sizeof(wide<T>));
  for (std::int64_t group = 0; group < s.groups(); ++group) {
    for (std::int64_t p = begin; p < end; p += step) {
      const std::int64_t last = std::min(p + step, end);
      product({last - p, inner, n, s.outputs, s.outputs, inner, false, true, false}, dy + p * s.outputs + group * n,
              filter + group * n, rows, product_room);
      for (std::int64_t pixel = p; pixel < last; ++pixel) {
        const wide<T>* row = rows + (pixel - p) * inner;
        for_each_run(s, pixel, group, first_plane, last_plane,
                     [&](const window_run& run) { add_to(dx + run.at, row + run.inner, run.size); });
      }
    }
  }
}

// The places of the gradient of the images that one element of the filter contributes to, and the outputs that it takes.
class slope_list {
public:
  static constexpr std::int64_t most = 384;
  static constexpr std::size_t room = 2 * most * sizeof(std::int64_t);

  explicit slope_list(std::byte* scratch) : from_(reinterpret_cast<std::int64_t*>(scratch)), to_(from_ + most) {}
  template <class F> void add(std::int64_t from, std::int64_t to, F&& flush) {
    from_[count_] = from;
    to_[count_++] = to;
    if (count_ == most) finish(flush);
  }
  template <class F> void finish(F&& flush) {
    if (count_ > 0) flush(count_, from_, to_);
    count_ = 0;
  }

private:
  std::int64_t *from_, *to_, count_ = 0;
};

// The same planes of some images, without a copy of the products' rows. The elements of the filter come in descending order, so that
// the products of pixels are added in ascending order, as in convolve_input_band. All images have the same list of places.
template <class T>
void convolve_input_in_place(const convolution_sizes& s, const T* filter, const T* dy, T* dx, std::int64_t images,
                             std::int64_t first_plane, std::int64_t last_plane, std::byte* scratch) {
  const std::int64_t plane_size = s.rows.extent * s.columns.extent * s.depth, n = s.group_outputs(), depth = s.group_depth;
  const std::int64_t image_size = s.planes.extent * plane_size, slopes = s.image_pixels() * s.outputs;
  for (std::int64_t image = 0; image < images; ++image)
    std::fill_n(dx + image * image_size + first_plane * plane_size, (last_plane - first_plane) * plane_size, T{});
  const std::int64_t pixels = slope_list::most * s.planes.step * s.rows.step * s.columns.step;
  const std::int64_t step = std::max<std::int64_t>(1, pixels * s.depth / std::max<std::int64_t>(1, plane_size));
  const auto product = kernel::dispatch([]<class L>(L) { return &L::template gathered_product<T>; });
  slope_list list(scratch);
  T* const room = reinterpret_cast<T*>(scratch + slope_list::room);
  for (std::int64_t plane = first_plane; plane < last_plane; plane += step) {
    for (std::int64_t unit = s.groups() * s.planes.filter * s.rows.filter * s.columns.filter; unit-- > 0;) {
      const std::int64_t j = unit % s.columns.filter, i = unit / s.columns.filter % s.rows.filter;
      const std::int64_t k = unit / s.columns.filter / s.rows.filter % s.planes.filter;
      const std::int64_t tap = (k * s.rows.filter + i) * s.columns.filter + j;
      const std::int64_t group = unit / (s.planes.filter * s.rows.filter * s.columns.filter);
      const auto flush = [&](std::int64_t count, const std::int64_t* from, const std::int64_t* to) {
        for (std::int64_t image = 0; image < images; ++image)
          product({count, depth, n, n, count, 1, 0, 1, from, nullptr, to, s.outputs, true, true, false},
                  dy + image * slopes + group * n, nullptr, filter + tap * depth * s.outputs + group * n,
                  dx + image * image_size + group * depth, room);
      };
      const output_range planes(s.planes, k, plane, std::min(plane + step, last_plane)), rows(s.rows, i, 0, s.rows.extent),
          columns(s.columns, j, 0, s.columns.extent);
      for (std::int64_t p = planes.first; p < planes.last; ++p)
        for (std::int64_t r = rows.first; r < rows.last; ++r) {
          const std::int64_t line = (p * s.rows.outputs + r) * s.columns.outputs;
          const std::int64_t to_plane = p * s.planes.step - s.planes.start + k * s.planes.dilation;
          const std::int64_t to_row = to_plane * s.rows.extent + r * s.rows.step - s.rows.start + i * s.rows.dilation;
          const std::int64_t to = to_row * s.columns.extent - s.columns.start + j * s.columns.dilation;
          for (std::int64_t c = columns.first; c < columns.last; ++c)
            list.add((line + c) * s.outputs, (to + c * s.columns.step) * s.depth, flush);
        }
      list.finish(flush);
    }
  }
}

template <class T>
void convolve_input(cpu ctx, const convolution_sizes& s, const T* filter, const T* dy, T* dx, std::int64_t bands,
                    std::size_t share) {
  const std::int64_t planes = (s.planes.extent + bands - 1) / bands, units = s.images * bands;
  const std::int64_t parts = std::min(parts_of_work(s.work()), units);
  const bool in_place = has_level_product<T> && adds_in_place(s);
  const std::int64_t together = in_place && bands == 1 ? images_at_once(s, sizeof(T)) : 1;
  ctx.parallel_for(parts, [&](std::int64_t part) {
    const std::int64_t end = units * (part + 1) / parts;
    for (std::int64_t unit = units * part / parts, count = together; unit < end; unit += count) {
      count = std::min(together, end - unit);
      const std::int64_t image = unit / bands, first = unit % bands * planes, last = std::min(first + planes, s.planes.extent);
      if (first >= last) continue;
      std::byte* const scratch = ctx.scratch() + static_cast<std::size_t>(part) * share;
      if constexpr (has_level_product<T>) {
        if (in_place) {
          T* const to = dx + image * s.planes.extent * s.rows.extent * s.columns.extent * s.depth;
          convolve_input_in_place(s, filter, dy + image * s.image_pixels() * s.outputs, to, count, first, last, scratch);
          continue;
        }
      }
      convolve_input_band(s, filter, dy, dx, image, first, last, scratch);
    }
  });
}

// How the gradient of the filter reads some pixels of images in place: lines of the images are copied once, with their border,
// and each line of pixels is a run of a gathered product, whose rows are the elements of the filter.
struct filter_lines : image_lines {
  std::int64_t first_tap, taps, runs;                  // the elements of the filter in the part, and the lines of pixels
  std::int64_t places, lengths, targets, zeros, room;  // where they begin in the scratch memory, and its size, in bytes

  filter_lines(const convolution_sizes& s, const unrolled_part& part, std::int64_t first, std::int64_t last,
               std::size_t element_size)
      : image_lines(s, first, last), first_tap(part.first_inner / s.group_depth),
        taps((part.last_inner - 1) / s.group_depth + 1 - first_tap),
        runs((last - 1) / s.columns.outputs + 1 - first / s.columns.outputs) {
    places = bytes(s, element_size);
    lengths = places + runs * taps * 8;
    targets = lengths + runs * 8;
    zeros = targets + (part.last_inner - part.first_inner) * 8;
    room = zeros + s.columns.outputs * s.columns.step * s.depth * static_cast<std::int64_t>(element_size);
  }
};

// Adds the products of pixels [first, last) to the rows of the filter in `part`, or sets the rows.
template <class T>
void sum_lines(const convolution_sizes& s, const filter_lines& f, bool finite, const T* x, const T* dy, T* df,
               const unrolled_part& part, std::int64_t first, std::int64_t last, std::byte* scratch) {
  T* const copied = reinterpret_cast<T*>(scratch);
  auto* const places = reinterpret_cast<std::int64_t*>(scratch + f.places);
  auto* const lengths = reinterpret_cast<std::int64_t*>(scratch + f.lengths);
  auto* const targets = reinterpret_cast<std::int64_t*>(scratch + f.targets);
  T* const zeros = reinterpret_cast<T*>(scratch + f.zeros);
  copy_lines(s, f, x, copied);
  std::fill_n(zeros, s.columns.outputs * s.columns.step * s.depth, T{});
  const std::int64_t rows = part.last_inner - part.first_inner, n = s.group_outputs();
  for (std::int64_t i = 0; i < rows; ++i) targets[i] = i * s.outputs;
  std::int64_t run = 0;
  for (std::int64_t pixel = first; pixel < last; ++run) {
    const std::int64_t of_pixels = pixel / s.columns.outputs, column = pixel % s.columns.outputs;
    lengths[run] = std::min(s.columns.outputs - column, last - pixel);
    pixel += lengths[run];
    for (std::int64_t t = 0; t < f.taps; ++t) {
      const std::int64_t i = (f.first_tap + t) / s.columns.filter, j = (f.first_tap + t) % s.columns.filter;
      const std::int64_t row = of_pixels % s.planes.outputs * s.planes.step - s.planes.start + i * s.planes.dilation;
      const std::int64_t line = image_lines::line(s, of_pixels, i) - f.first_line;
      places[run * f.taps + t] =
          row < 0 || row >= s.planes.extent
              ? kernel::gathered_shape::zero
              : (line * f.width + column * s.columns.step + j * s.columns.dilation) * s.depth + part.group * s.group_depth;
    }
  }
  const auto product = kernel::dispatch([]<class L>(L) { return &L::template gathered_product<T>; });
  product({rows, n, last - first, 0, f.taps, s.columns.step * s.depth, part.first_inner - f.first_tap * s.group_depth,
           s.group_depth, places, lengths, targets, s.outputs, false, first > part.first, finite},
          copied, zeros, dy + first * s.outputs + part.group * n, df + part.first_inner * s.outputs + part.group * n,
          reinterpret_cast<T*>(scratch + unrolled_bytes));
}

// Rows [first, last) of the gradient of a group's filter, summed over the pixels of a segment.
template <class T, class Sum>
void convolve_filter_part(const convolution_sizes& s, const T* x, const T* dy, Sum* df, const unrolled_part& part, bool finite,
                          std::byte* scratch) {
  const std::int64_t width = part.last_inner - part.first_inner, n = s.group_outputs();
  const std::int64_t step =
      std::clamp<std::int64_t>(unrolled_bytes / (width * static_cast<std::int64_t>(sizeof(T))) / 64 * 64, 64, 1024);
  T* rows = reinterpret_cast<T*>(scratch);
  Sum* to = df + part.first_inner * s.outputs + part.group * n;
  for (std::int64_t p = part.first; p < part.last; p += step) {
    const std::int64_t end = std::min(p + step, part.last);
    if constexpr (has_level_product<T>) {
      if (s.rows.filter == 1 && s.rows.extent == 1 && fills_panels(n)) {
        const filter_lines lines(s, part, p, end, sizeof(T));
        if (lines.room <= unrolled_bytes) {
          sum_lines(s, lines, finite, x, dy, df, part, p, end, scratch);
          continue;
        }
      }
    }
    unroll(s, sizeof(T), x, {p, end, part.first_inner, part.last_inner, part.group}, rows);
    product({width, n, end - p, width, s.outputs, s.outputs, true, false, p > part.first}, rows,
            dy + p * s.outputs + part.group * n, to, scratch + unrolled_bytes);
  }
}

// The work of convolve_filter, cut up: `sums` holds the sums of one segment after the other.
template <class T, class Sum>
void convolve_filter_segments(cpu ctx, const convolution_sizes& s, const T* x, const T* dy, Sum* sums, std::int64_t segments,
                              const filter_plan& plan) {
  const std::int64_t inner = s.inner(), pixels = s.pixels();
  const std::int64_t wanted_width = (inner * segments + plan.parts - 1) / plan.parts;
  const std::int64_t width = std::clamp<std::int64_t>((wanted_width + 47) / 48 * 48, 96, 1024),
                     slices = (inner + width - 1) / width;
  const std::int64_t units = segments * slices * s.groups(), parts = std::min(plan.parts, units);
  bool finite = false;
  if constexpr (has_level_product<T>) finite = inner >= 128 && all_finite(dy, pixels * s.outputs);
  ctx.parallel_for(parts, [&](std::int64_t part) {
    std::byte* scratch = ctx.scratch() + static_cast<std::size_t>(part) * (plan.product_share + unrolled_bytes);
    for (std::int64_t unit = units * part / parts; unit < units * (part + 1) / parts; ++unit) {
      const std::int64_t slice = unit % slices, group = unit / slices % s.groups(), segment = unit / slices / s.groups();
      const unrolled_part rows{pixels * segment / segments, pixels * (segment + 1) / segments, slice * width,
                               std::min((slice + 1) * width, inner), group};
      convolve_filter_part(s, x, dy, sums + segment * inner * s.outputs, rows, finite, scratch);
    }
  });
}

template <class T>
void convolve_filter(cpu ctx, const convolution_sizes& s, const T* x, const T* dy, T* df, const filter_plan& plan) {
  const std::int64_t size = s.inner() * s.outputs;
  const bool fits = size * static_cast<std::int64_t>(sizeof(wide<T>)) <= filter_plan::segment_bytes;
  const std::int64_t segments = fits ? plan.segments : 1;
  if (!fits || (segments == 1 && std::is_same_v<T, wide<T>>)) return convolve_filter_segments(ctx, s, x, dy, df, 1, plan);
  auto* sums =
      reinterpret_cast<wide<T>*>(ctx.scratch() + static_cast<std::size_t>(plan.parts) * (plan.product_share + unrolled_bytes));
  convolve_filter_segments(ctx, s, x, dy, sums, segments, plan);
  ctx.parallel_ranges(size, 4096, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      wide<T> sum = sums[i];
      for (std::int64_t segment = 1; segment < segments; ++segment) sum = sum + sums[segment * size + i];
      df[i] = narrowed<T>(sum);
    }
  });
}

// ---- the kernels, of images and of volumes

template <class T> void convolution(cpu ctx, const window_terms& t, view<const T> x, view<const T> filter, view<T> y) {
  if (y.size() == 0 || !check_channels(ctx, t)) return;
  const convolution_sizes s = sizes_of(t, x.shape(), filter.shape());
  const filter_matrix<T> matrix(ctx, s, filter.data());
  if (s.is_pointwise())
    return parallel_product(ctx, matrix.product(s.pixels(), s.outputs, finish_of<T>(ctx)), x.data(), matrix.at, y.data(),
                            ctx.scratch());
  const auto parts = static_cast<std::size_t>(parts_of_work(s.work()));
  convolve(ctx, s, x.data(), matrix, y.data(), convolution_scratch(t, x.shape(), filter.shape()) / parts);
}

template <class T> void convolution_input(cpu ctx, const window_terms& t, view<const T> filter, view<const T> dy, view<T> dx) {
  if (dx.size() == 0 || !check_channels(ctx, t)) return;
  const convolution_sizes s = sizes_of(t, dx.shape(), filter.shape());
  const std::int64_t m = s.pixels(), n = s.outputs, k = s.inner();
  if (s.is_pointwise())
    return parallel_product(ctx, {m, k, n, n, n, k, false, true, false}, dy.data(), filter.data(), dx.data(), ctx.scratch());
  const std::size_t share = product_scratch({most_unrolled_rows, k, n, n, n, k, false, true, false}) +
                            round_up_bytes(static_cast<std::size_t>(unrolled_room(k)));
  convolve_input(ctx, s, filter.data(), dy.data(), dx.data(), bands_of(t, dy.shape()), share);
}

template <class T> void convolution_filter(cpu ctx, const window_terms& t, view<const T> x, view<const T> dy, view<T> df) {
  if (df.size() == 0 || !check_channels(ctx, t)) return;
  const convolution_sizes s = sizes_of(t, x.shape(), df.shape());
  if (s.pixels() == 0) {
    std::fill(df.begin(), df.end(), T{});
    return;
  }
  convolve_filter(ctx, s, x.data(), dy.data(), df.data(), plan_filter(x.shape(), dy.shape()));
}

}  // namespace detail

template <class T> void conv2d_op::operator()(cpu ctx, view<const T> x, view<const T> filter, view<T> y) const {
  detail::convolution(ctx, detail::terms_of(*this), x, filter, y);
}

template <class T>
void conv2d_backprop_input_op::operator()(cpu ctx, view<const std::int32_t>, view<const T> filter, view<const T> dy,
                                          view<T> dx) const {
  detail::convolution_input(ctx, detail::terms_of(*this), filter, dy, dx);
}

template <class T>
void conv2d_backprop_filter_op::operator()(cpu ctx, view<const T> x, view<const std::int32_t>, view<const T> dy,
                                           view<T> df) const {
  detail::convolution_filter(ctx, detail::terms_of(*this), x, dy, df);
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
