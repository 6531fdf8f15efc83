#pragma once

#include <flowgraph/ops/nn/detail/pool.hpp>
#include <flowgraph/ops/nn/pool_3d.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Copies the first element of a window to y, and calls merge(y, element, channels) for the others.
template <class T, class F> void fold_window(const pool_sizes& s, const T* x, const pool_sizes::box& b, T* y, F&& merge) {
  bool begun = false;
  s.for_each(b, [&](std::int64_t at) {
    if (begun) merge(y, x + at, s.depth);
    else std::copy_n(x + at, s.depth, y);
    begun = true;
  });
}

// As TensorFlow's: a NaN stays the largest element until a number follows it.
template <class T> void max_pool_of_volumes(cpu ctx, const pool_sizes& s, const T* x, T* y) {
  const auto merge = [](T* largest, const T* next, std::int64_t n) {
    for (std::int64_t c = 0; c < n; ++c) largest[c] = is_larger(largest[c], next[c]) ? largest[c] : next[c];
  };
  ctx.parallel_ranges(s.pixels(), s.pixels_per_block(), [&](std::int64_t first, std::int64_t last) {
    s.for_each_window(first, last,
                      [&](std::int64_t pixel, const pool_sizes::box& b) { fold_window(s, x, b, y + pixel * s.depth, merge); });
  });
}

template <class T, class I> void equal_pool_gradient(cpu ctx, const pool_sizes& s, const I* x, const I* y, const T* dy, T* dx) {
  const std::int64_t pixels = s.image_pixels();
  for_each_channel_block(ctx, s, [&](std::int64_t image, std::int64_t first, std::int64_t last) {
    clear_channels(s, dx, image, first, last);
    s.for_each_window(image * pixels, (image + 1) * pixels, [&](std::int64_t pixel, const pool_sizes::box& b) {
      s.for_each(b, [&](std::int64_t at) {
        for (std::int64_t c = first; c < last; ++c)
          if (x[at + c] == y[pixel * s.depth + c]) add_in_place(dx[at + c], dy[pixel * s.depth + c]);
      });
    });
  });
}

// Sets ddy to the element of ddx at the first element of each window that equals y; to 0 if none does.
template <class T> void equal_pool_second(cpu ctx, const pool_sizes& s, const T* x, const T* y, const T* ddx, T* ddy) {
  ctx.parallel_ranges(s.pixels(), s.pixels_per_block(), [&](std::int64_t begin, std::int64_t end) {
    bool found[pool_channels];
    s.for_each_window(begin, end, [&](std::int64_t pixel, const pool_sizes::box& b) {
      for (std::int64_t first = 0; first < s.depth; first += pool_channels) {
        const std::int64_t n = std::min(pool_channels, s.depth - first), out = pixel * s.depth + first;
        std::fill_n(ddy + out, n, T{});
        std::fill_n(found, n, false);
        s.for_each(b, [&](std::int64_t at) {
          for (std::int64_t c = 0; c < n; ++c) {
            if (found[c] || x[at + first + c] != y[out + c]) continue;
            ddy[out + c] = ddx[at + first + c];
            found[c] = true;
          }
        });
      }
    });
  });
}

}  // namespace detail

template <class T> void max_pool_3d_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  if (const auto s = detail::sizes_of_pool(ctx, ksize, detail::terms_of(*this), x.shape(), y.size()))
    detail::max_pool_of_volumes(ctx, *s, x.data(), y.data());
}

template <class T, class I>
void max_pool_3d_grad_op::operator()(cpu ctx, view<const I> x, view<const I> y, view<const T> dy, view<T> dx) const {
  if (const auto s = detail::sizes_of_pool(ctx, ksize, detail::terms_of(*this), x.shape(), dx.size()))
    detail::equal_pool_gradient(ctx, *s, x.data(), y.data(), dy.data(), dx.data());
}

template <class T>
void max_pool_3d_grad_grad_op::operator()(cpu ctx, view<const T> x, view<const T> y, view<const T> ddx, view<T> ddy) const {
  if (const auto s = detail::sizes_of_pool(ctx, ksize, detail::terms_of(*this), x.shape(), ddy.size()))
    detail::equal_pool_second(ctx, *s, x.data(), y.data(), ddx.data(), ddy.data());
}

template <class T> void avg_pool_3d_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  if (const auto s = detail::sizes_of_pool(ctx, ksize, detail::terms_of(*this), x.shape(), y.size()))
    detail::mean_pool(ctx, *s, x.data(), y.data());
}

template <class T> void avg_pool_3d_grad_op::operator()(cpu ctx, view<const std::int32_t>, view<const T> dy, view<T> dx) const {
  if (const auto s = detail::sizes_of_pool(ctx, ksize, detail::terms_of(*this), dx.shape(), dx.size()))
    detail::mean_pool_gradient(ctx, *s, dy.data(), dx.data());
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
