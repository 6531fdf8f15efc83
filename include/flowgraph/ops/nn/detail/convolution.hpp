#pragma once

#include <flowgraph/ops/nn/convolution.hpp>
#include <flowgraph/ops/shared/detail/product.hpp>
#include <flowgraph/ops/nn/detail/unroll.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

inline bool check_channels(cpu ctx, const window_terms& t) {
  if (!t.channels_first) return true;
  ctx.fail(t.count() == 2 ? error_code::unimplemented : error_code::invalid_argument,
           "the CPU has kernels for channels that come last only");
  return false;
}

// Adds the rows of a to what lies `step` elements apart.
template <class T> void add_to(T* to, const wide<T>* from, std::int64_t n) {
  if constexpr (has_level_product<T>) {
    if (n >= 32) return kernel::dispatch([]<class L>(L) { return &L::template row_add<T>; })(to, from, n);
  }
  for (std::int64_t i = 0; i < n; ++i) to[i] = narrowed<T>(static_cast<wide<T>>(widened(to[i]) + from[i]));
}

// One part of a convolution: some of the pixels, some of the outputs of each group.
template <class T>
void convolve_part(const convolution_sizes& s, const T* x, const T* filter, T* y, const unrolled_part& pixels,
                   std::int64_t first_output, std::int64_t last_output, std::byte* scratch) {
  const std::int64_t inner = s.inner(), step = unrolled_rows(inner, sizeof(T));
  T* rows = reinterpret_cast<T*>(scratch);
  std::byte* product_room =
      scratch + round_up_bytes(static_cast<std::size_t>(std::min(unrolled_room(inner), s.pixels() * inner * 8)));
  for (std::int64_t group = 0; group < s.groups(); ++group) {
    const std::int64_t column = group * s.group_outputs() + first_output;
    for (std::int64_t p = pixels.first; p < pixels.last; p += step) {
      const std::int64_t end = std::min(p + step, pixels.last);
      unroll(s, sizeof(T), x, {p, end, 0, inner, group}, rows);
      product({end - p, last_output - first_output, inner, inner, s.outputs, s.outputs, false, false, false}, rows,
              filter + column, y + p * s.outputs + column, product_room);
    }
  }
}

template <class T> bool all_finite(const T* x, std::int64_t n) {
  const auto [max, min] = kernel::dispatch([]<class L>(L) { return std::pair(&L::template max<T>, &L::template min<T>); });
  return max(x, n) < std::numeric_limits<T>::infinity() && min(x, n) > -std::numeric_limits<T>::infinity();
}

// The same part by windows that are read in place.
template <class T>
void convolve_in_place(const convolution_sizes& s, const window_runs& runs, bool finite, const T* x, const T* filter, T* y,
                       const unrolled_part& rows, std::int64_t first_output, std::int64_t last_output, std::byte* scratch) {
  constexpr std::int64_t panel = window_runs::panel;
  auto* const places = reinterpret_cast<std::int64_t*>(scratch);
  std::int64_t* const targets = places + panel * runs.count;
  T* const border = reinterpret_cast<T*>(targets + panel);
  T* const product_room = reinterpret_cast<T*>(scratch + round_up_bytes(runs.room()));
  std::fill_n(border, runs.size, T{});
  const auto product = kernel::dispatch([]<class L>(L) { return &L::template gathered_product<T>; });
  for (std::int64_t group = 0; group < s.groups(); ++group) {
    const std::int64_t column = group * s.group_outputs() + first_output;
    for (std::int64_t p = rows.first; p < rows.last; p += panel) {
      const std::int64_t end = std::min(p + panel, rows.last);
      place_windows(s, runs, group, p, end, places, targets);
      product({end - p, last_output - first_output, s.inner(), runs.size, panel, 1, 0, 1, places, nullptr, targets, s.outputs,
               false, false, finite},
              x, border, filter + column, y + column, product_room);
    }
  }
}

template <class T> void convolve(cpu ctx, const convolution_sizes& s, const T* x, const T* filter, T* y, std::size_t share) {
  const window_runs runs(s);
  const bool in_place = has_level_product<T> && runs.in_place;
  const std::int64_t step = in_place ? window_runs::panel : unrolled_rows(s.inner(), sizeof(T)), n = s.group_outputs();
  const std::int64_t blocks = (s.pixels() + step - 1) / step, parts = parts_of_work(s.work());
  bool finite = false;
  if constexpr (has_level_product<T>) finite = in_place && s.pixels() >= 256 && all_finite(filter, s.inner() * s.outputs);
  // Parts by pixels, then by outputs where there are few pixels: each reads the images anew.
  const std::int64_t rows = std::min(blocks, parts), columns = std::clamp<std::int64_t>(n / 64, 1, parts / rows);
  const std::int64_t width = ((n + columns - 1) / columns + 15) / 16 * 16;
  ctx.parallel_for(rows * columns, [&](std::int64_t i) {
    const std::int64_t row = i / columns, first_output = i % columns * width, last_output = std::min(first_output + width, n);
    if (first_output >= last_output) return;
    const unrolled_part pixels{blocks * row / rows * step, std::min(blocks * (row + 1) / rows * step, s.pixels()), 0, 0, 0};
    std::byte* const scratch = ctx.scratch() + static_cast<std::size_t>(i) * share;
    if constexpr (has_level_product<T>) {
      if (in_place) return convolve_in_place(s, runs, finite, x, filter, y, pixels, first_output, last_output, scratch);
    }
    convolve_part(s, x, filter, y, pixels, first_output, last_output, scratch);
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

template <class T>
void convolve_input(cpu ctx, const convolution_sizes& s, const T* filter, const T* dy, T* dx, std::int64_t bands,
                    std::size_t share) {
  const std::int64_t planes = (s.planes.extent + bands - 1) / bands, units = s.images * bands;
  const std::int64_t parts = std::min(parts_of_work(s.work()), units);
  ctx.parallel_for(parts, [&](std::int64_t part) {
    for (std::int64_t unit = units * part / parts; unit < units * (part + 1) / parts; ++unit) {
      const std::int64_t first = unit % bands * planes, last = std::min(first + planes, s.planes.extent);
      if (first < last)
        convolve_input_band(s, filter, dy, dx, unit / bands, first, last, ctx.scratch() + static_cast<std::size_t>(part) * share);
    }
  });
}

// Rows [first, last) of the gradient of a group's filter, summed over the pixels of a segment.
template <class T, class Sum>
void convolve_filter_part(const convolution_sizes& s, const T* x, const T* dy, Sum* df, const unrolled_part& part,
                          std::byte* scratch) {
  const std::int64_t width = part.last_inner - part.first_inner, n = s.group_outputs();
  const std::int64_t step =
      std::clamp<std::int64_t>(unrolled_bytes / (width * static_cast<std::int64_t>(sizeof(T))) / 64 * 64, 64, 1024);
  T* rows = reinterpret_cast<T*>(scratch);
  Sum* to = df + part.first_inner * s.outputs + part.group * n;
  for (std::int64_t p = part.first; p < part.last; p += step) {
    const std::int64_t end = std::min(p + step, part.last);
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
  ctx.parallel_for(parts, [&](std::int64_t part) {
    std::byte* scratch = ctx.scratch() + static_cast<std::size_t>(part) * (plan.product_share + unrolled_bytes);
    for (std::int64_t unit = units * part / parts; unit < units * (part + 1) / parts; ++unit) {
      const std::int64_t slice = unit % slices, group = unit / slices % s.groups(), segment = unit / slices / s.groups();
      const unrolled_part rows{pixels * segment / segments, pixels * (segment + 1) / segments, slice * width,
                               std::min((slice + 1) * width, inner), group};
      convolve_filter_part(s, x, dy, sums + segment * inner * s.outputs, rows, scratch);
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
  if (!check_channels(ctx, t) || y.size() == 0) return;
  const convolution_sizes s = sizes_of(t, x.shape(), filter.shape());
  const std::int64_t m = s.pixels(), n = s.outputs, k = s.inner();
  if (s.is_pointwise())
    return parallel_product(ctx, {m, n, k, k, n, n, false, false, false}, x.data(), filter.data(), y.data(), ctx.scratch());
  const auto parts = static_cast<std::size_t>(parts_of_work(s.work()));
  convolve(ctx, s, x.data(), filter.data(), y.data(), convolution_scratch(t, x.shape(), filter.shape()) / parts);
}

template <class T> void convolution_input(cpu ctx, const window_terms& t, view<const T> filter, view<const T> dy, view<T> dx) {
  if (!check_channels(ctx, t) || dx.size() == 0) return;
  const convolution_sizes s = sizes_of(t, dx.shape(), filter.shape());
  const std::int64_t m = s.pixels(), n = s.outputs, k = s.inner();
  if (s.is_pointwise())
    return parallel_product(ctx, {m, k, n, n, n, k, false, true, false}, dy.data(), filter.data(), dx.data(), ctx.scratch());
  const std::size_t share = product_scratch({most_unrolled_rows, k, n, n, n, k, false, true, false}) +
                            round_up_bytes(static_cast<std::size_t>(unrolled_room(k)));
  convolve_input(ctx, s, filter.data(), dy.data(), dx.data(), bands_of(t, dy.shape()), share);
}

template <class T> void convolution_filter(cpu ctx, const window_terms& t, view<const T> x, view<const T> dy, view<T> df) {
  if (!check_channels(ctx, t) || df.size() == 0) return;
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

}
}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
