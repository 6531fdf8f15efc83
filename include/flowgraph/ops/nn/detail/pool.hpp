#pragma once
// Pools over batches of images and of volumes: an image is a volume of one plane.

#include <flowgraph/ops/shared/detail/wide.hpp>
#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/ops/nn/pool.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <type_traits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// The windows along one axis: at regular steps, or between given cuts.
struct pool_axis {
  std::int64_t extent = 1, outputs = 1, size = 1, step = 1, start = 0;
  const std::int64_t* cuts = nullptr;
  std::int64_t overlap = 0;  // elements of a window beyond the next cut

  // The part of window i inside of the extent: [first, last).
  std::int64_t first(std::int64_t i) const { return cuts ? cuts[i] : std::max<std::int64_t>(i * step - start, 0); }
  std::int64_t last(std::int64_t i) const {
    return cuts ? std::min(cuts[i + 1], extent - overlap) + overlap : std::min(i * step - start + size, extent);
  }
  // Returns whether each element is in exactly one window.
  bool divides() const { return !cuts && size == step && start == 0 && outputs * step >= extent; }
};

struct pool_sizes {
  std::int64_t images = 0, depth = 0;
  pool_axis planes, rows, columns;

  pool_sizes() = default;
  // Makes the sizes of windows at regular steps; channels are the last axis.
  FLOWGRAPH_COLD pool_sizes(std::span<const std::int64_t> ksize, const window_terms& t, const shape& x)
      : images(x[0]), depth(x[x.rank - 1]) {
    const auto along = [&](int axis) {
      const auto i = static_cast<std::size_t>(axis);
      window w{ksize[i], t.strides[i], 1, 0, 0};
      if (t.padding == padding::explicit_) w.before = t.explicit_paddings[2 * i], w.after = t.explicit_paddings[2 * i + 1];
      return pool_axis{x[axis], w.outputs(x[axis], t.padding), w.size, w.step, w.start(x[axis], t.padding)};
    };
    if (x.rank == 5) planes = along(1);
    rows = along(x.rank - 3);
    columns = along(x.rank - 2);
  }

  // Returns whether each element is in exactly one window.
  bool divides() const { return planes.divides() && rows.divides() && columns.divides(); }
  std::int64_t image_pixels() const { return planes.outputs * rows.outputs * columns.outputs; }
  std::int64_t pixels() const { return images * image_pixels(); }
  std::int64_t image_size() const { return planes.extent * rows.extent * columns.extent * depth; }

  // The part inside of the image of the window of a pixel.
  struct box {
    std::int64_t image, front, back, top, bottom, left, right;
    std::int64_t size() const { return (back - front) * (bottom - top) * (right - left); }
  };
  // Calls f(pixel, its window) for the pixels [first, last).
  template <class F> void for_each_window(std::int64_t first, std::int64_t last, F&& f) const {
    if (first >= last) return;  // an empty result has axes without elements, which must not divide
    const std::int64_t line = first / columns.outputs, plane = line / rows.outputs;
    std::int64_t image = plane / planes.outputs, k = plane % planes.outputs, i = line % rows.outputs, j = first % columns.outputs;
    for (std::int64_t pixel = first; pixel < last; ++pixel) {
      f(pixel, box{image, planes.first(k), planes.last(k), rows.first(i), rows.last(i), columns.first(j), columns.last(j)});
      if (++j < columns.outputs) continue;
      j = 0;
      if (++i < rows.outputs) continue;
      i = 0;
      if (++k < planes.outputs) continue;
      k = 0;
      ++image;
    }
  }
  box at(std::int64_t pixel) const {
    box found{};
    for_each_window(pixel, pixel + 1, [&](std::int64_t, const box& b) { found = b; });
    return found;
  }
  // Calls f(offset in x) for each element of the window's first channel, in order.
  template <class F> void for_each(const box& b, F&& f) const {
    for (std::int64_t plane = b.front; plane < b.back; ++plane) {
      for (std::int64_t row = b.top; row < b.bottom; ++row) {
        std::int64_t at = (((b.image * planes.extent + plane) * rows.extent + row) * columns.extent + b.left) * depth;
        for (std::int64_t column = b.left; column < b.right; ++column, at += depth) f(at);
      }
    }
  }
  // Returns the number of pixels whose windows make a block of a parallel loop.
  std::int64_t pixels_per_block() const {
    const std::int64_t work = std::max<std::int64_t>(1, depth) * std::min(planes.size, planes.extent) *
                              std::min(rows.size, rows.extent) * std::min(columns.size, columns.extent);
    return std::max<std::int64_t>(1, (1 << 15) / std::max<std::int64_t>(1, work));
  }
};

// Returns the sizes of a pool whose result has `result` elements. Empty after a failure, and if there is nothing to compute.
inline std::optional<pool_sizes> sizes_of_pool(cpu ctx, std::span<const std::int64_t> ksize, const window_terms& t,
                                               const shape& x, std::size_t result) {
  if (result == 0) return {};
  if (!t.channels_first) return pool_sizes(ksize, t, x);
  ctx.fail(error_code::unimplemented, message{"the CPU has no pools for channels that come first, as data_format='",
                                              t.count() == 2 ? "NCHW" : "NCDHW", "' says"});
  return {};
}

// Finds the largest element of a window for each channel, as TensorFlow's forward pool: NaN and negative infinity do not count, and
// if nothing else is there, the result is the least finite number.
template <class T> void largest_of_window(const pool_sizes& s, const T* x, const pool_sizes::box& b, T* y) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    constexpr std::int64_t most = 32;
    const auto largest = kernel::dispatch([]<class L>(L) { return &L::template largest<T>; });
    const T* rows[most];
    std::int64_t count = 0;
    bool continues = false;
    s.for_each(b, [&](std::int64_t at) {
      if (count == most) {
        largest(rows, count, continues, y, s.depth);
        count = 0;
        continues = true;
      }
      rows[count++] = x + at;
    });
    largest(rows, count, continues, y, s.depth);
  } else {
    std::fill_n(y, s.depth, least_finite<T>());
    s.for_each(b, [&](std::int64_t at) {
      for (std::int64_t c = 0; c < s.depth; ++c)
        if (is_larger(x[at + c], y[c])) y[c] = x[at + c];
    });
  }
}

template <class T> void max_pool(cpu ctx, const pool_sizes& s, const T* x, T* y) {
  ctx.parallel_ranges(s.pixels(), s.pixels_per_block(), [&](std::int64_t first, std::int64_t last) {
    s.for_each_window(first, last,
                      [&](std::int64_t pixel, const pool_sizes::box& b) { largest_of_window(s, x, b, y + pixel * s.depth); });
  });
}

// Finds the largest element of windows of `size` channels, side by side.
template <class T> void max_of_channels(cpu ctx, const T* x, std::int64_t size, T* y, std::int64_t n) {
  ctx.parallel_ranges(n, std::max<std::int64_t>(1, (1 << 15) / size), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      T largest = x[i * size];
      for (std::int64_t k = 1; k < size; ++k)
        if (is_larger(x[i * size + k], largest)) largest = x[i * size + k];
      y[i] = largest;
    }
  });
}

// Channels that are processed together if windows overlap. The stack has room for the places of their largest elements.
inline constexpr std::int64_t pool_channels = 64;

// Finds the places in x of the first largest elements of the window of a pixel, for some channels.
template <class T>
void find_largest(const pool_sizes& s, const T* x, const pool_sizes::box& b, std::int64_t first, std::int64_t last,
                  std::int64_t* where) {
  bool begun = false;
  s.for_each(b, [&](std::int64_t at) {
    for (std::int64_t c = first; c < last; ++c)
      if (!begun || is_larger(x[at + c], x[where[c - first]])) where[c - first] = at + c;
    begun = true;
  });
}

// Calls f(image, first channel, last channel) on the run's threads. No two calls write to the same place.
template <class F> void for_each_channel_block(cpu ctx, const pool_sizes& s, F&& f) {
  const std::int64_t blocks = (s.depth + pool_channels - 1) / pool_channels;
  ctx.parallel_for(s.images * blocks, [&](std::int64_t i) {
    const std::int64_t first = i % blocks * pool_channels;
    f(i / blocks, first, std::min(first + pool_channels, s.depth));
  });
}

template <class T> void clear_channels(const pool_sizes& s, T* dx, std::int64_t image, std::int64_t first, std::int64_t last) {
  T* const end = dx + (image + 1) * s.image_size();
  for (T* row = dx + image * s.image_size(); row < end; row += s.depth) std::fill_n(row + first, last - first, T{});
}

// The number of an element in its window. It has the size of the element, so that both are in vectors of the same length.
template <class T> using number_in_window = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

// For n channels: notes the elements of the window's element `number` that are larger than all elements before.
template <class T>
void note_larger(const T* x, std::int64_t n, number_in_window<T> number, T* largest, number_in_window<T>* which) {
  for (std::int64_t c = 0; c < n; ++c) {
    const T next = x[c], before = largest[c];
    const number_in_window<T> found = which[c];
    const bool is_next = is_larger(next, before);
    largest[c] = is_next ? next : before;
    which[c] = is_next ? number : found;
  }
}

// For n channels: adds the slope where the window's element `number` is the first largest one, and 0 elsewhere. The sums begin with
// 0, so none is -0, and the zeros change no bit. If `sets`, the sums need not be cleared before.
template <class T>
void add_slopes(T* dx, std::int64_t n, number_in_window<T> number, const T* dy, const number_in_window<T>* which, bool sets) {
  if (sets) {
    for (std::int64_t c = 0; c < n; ++c) {
      const T slope = dy[c];  // read in any case, so that the loop has vectors
      T sum{};
      add_in_place(sum, which[c] == number ? slope : T{});
      dx[c] = sum;
    }
    return;
  }
  for (std::int64_t c = 0; c < n; ++c) {
    const T slope = dy[c];
    add_in_place(dx[c], which[c] == number ? slope : T{});
  }
}

template <class T> void max_pool_gradient(cpu ctx, const pool_sizes& s, const T* x, const T* dy, T* dx) {
  const std::int64_t pixels = s.image_pixels();
  const bool sets = s.divides();
  for_each_channel_block(ctx, s, [&](std::int64_t image, std::int64_t first, std::int64_t last) {
    if (!sets) clear_channels(s, dx, image, first, last);
    const std::int64_t n = last - first;
    T largest[pool_channels];
    number_in_window<T> which[pool_channels];
    s.for_each_window(image * pixels, (image + 1) * pixels, [&](std::int64_t pixel, const pool_sizes::box& window) {
      std::fill_n(which, n, 0);
      number_in_window<T> number = 0;
      s.for_each(window, [&](std::int64_t at) {
        if (number == 0) std::copy_n(x + at + first, n, largest);
        else note_larger(x + at + first, n, number, largest, which);
        ++number;
      });
      number = 0;
      s.for_each(window, [&](std::int64_t at) {
        add_slopes(dx + at + first, n, number, dy + pixel * s.depth + first, which, sets);
        ++number;
      });
    });
  });
}

// Sets ddy to the elements of ddx at the first largest element of each window, without NaN and negative infinity; to 0 if there is
// none.
template <class T> void max_pool_second(cpu ctx, const pool_sizes& s, const T* x, const T* ddx, T* ddy) {
  ctx.parallel_ranges(s.pixels(), s.pixels_per_block(), [&](std::int64_t begin, std::int64_t end) {
    std::int64_t where[pool_channels];
    s.for_each_window(begin, end, [&](std::int64_t pixel, const pool_sizes::box& b) {
      for (std::int64_t first = 0; first < s.depth; first += pool_channels) {
        const std::int64_t n = std::min(pool_channels, s.depth - first);
        std::fill_n(where, n, -1);
        s.for_each(b, [&](std::int64_t at) {
          for (std::int64_t c = 0; c < n; ++c) {
            const T next = x[at + first + c];
            const bool is_number = next == next && !is_larger(least_finite<T>(), next);
            if (where[c] < 0 ? is_number : is_larger(next, x[where[c]])) where[c] = at + first + c;
          }
        });
        for (std::int64_t c = 0; c < n; ++c) ddy[pixel * s.depth + first + c] = where[c] < 0 ? T{} : ddx[where[c]];
      }
    });
  });
}

template <class T> void mean_pool(cpu ctx, const pool_sizes& s, const T* x, T* y) {
  ctx.parallel_ranges(s.pixels(), s.pixels_per_block(), [&](std::int64_t begin, std::int64_t end) {
    wide<T> sum[pool_channels];
    s.for_each_window(begin, end, [&](std::int64_t pixel, const pool_sizes::box& box) {
      for (std::int64_t first = 0; first < s.depth; first += pool_channels) {
        const std::int64_t n = std::min(pool_channels, s.depth - first);
        std::fill_n(sum, n, wide<T>{});
        s.for_each(box, [&](std::int64_t at) {
          for (std::int64_t c = 0; c < n; ++c) sum[c] += widened(x[at + first + c]);
        });
        for (std::int64_t c = 0; c < n; ++c) {
          T& mean = y[pixel * s.depth + first + c];
          if constexpr (std::is_integral_v<T>) mean = static_cast<T>(narrowed<T>(sum[c]) / static_cast<T>(box.size()));
          else mean = narrowed<T>(sum[c] / static_cast<wide<T>>(box.size()));
        }
      }
    });
  });
}

template <class T> void mean_pool_gradient(cpu ctx, const pool_sizes& s, const T* dy, T* dx) {
  const std::int64_t pixels = s.image_pixels();
  for_each_channel_block(ctx, s, [&](std::int64_t image, std::int64_t first, std::int64_t last) {
    clear_channels(s, dx, image, first, last);
    wide<T> share[pool_channels];
    s.for_each_window(image * pixels, (image + 1) * pixels, [&](std::int64_t pixel, const pool_sizes::box& box) {
      const auto count = static_cast<wide<T>>(box.size());
      for (std::int64_t c = first; c < last; ++c) share[c - first] = widened(dy[pixel * s.depth + c]) / count;
      s.for_each(box, [&](std::int64_t at) {
        for (std::int64_t c = first; c < last; ++c) dx[at + c] = narrowed<T>(widened(dx[at + c]) + share[c - first]);
      });
    });
  });
}

}  // namespace detail

template <class T> void max_pool_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  const auto s = detail::sizes_of_pool(ctx, ksize, detail::terms_of(*this), x.shape(), y.size());
  if (!s) return;
  if (ksize[3] > 1) return detail::max_of_channels(ctx, x.data(), ksize[3], y.data(), static_cast<std::int64_t>(y.size()));
  detail::max_pool(ctx, *s, x.data(), y.data());
}

template <class T>
void max_pool_grad_op::operator()(cpu ctx, view<const T> x, view<const T>, view<const T> dy, view<T> dx) const {
  if (const auto s = detail::sizes_of_pool(ctx, ksize, detail::terms_of(*this), x.shape(), dx.size()))
    detail::max_pool_gradient(ctx, *s, x.data(), dy.data(), dx.data());
}

template <class T>
void max_pool_grad_grad_op::operator()(cpu ctx, view<const T> x, view<const T>, view<const T> ddx, view<T> ddy) const {
  if (const auto s = detail::sizes_of_pool(ctx, ksize, detail::terms_of(*this), x.shape(), ddy.size()))
    detail::max_pool_second(ctx, *s, x.data(), ddx.data(), ddy.data());
}

template <class T> void avg_pool_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  if (const auto s = detail::sizes_of_pool(ctx, ksize, detail::terms_of(*this), x.shape(), y.size()))
    detail::mean_pool(ctx, *s, x.data(), y.data());
}

template <class T> void avg_pool_grad_op::operator()(cpu ctx, view<const std::int32_t>, view<const T> dy, view<T> dx) const {
  if (const auto s = detail::sizes_of_pool(ctx, ksize, detail::terms_of(*this), dx.shape(), dx.size()))
    detail::mean_pool_gradient(ctx, *s, dy.data(), dx.data());
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
