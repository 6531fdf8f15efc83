#pragma once

#include <flowgraph/ops/nn/detail/pool.hpp>
#include <flowgraph/ops/nn/pool_argmax.hpp>

#include <atomic>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Writes places of either type.
struct place_writer {
  void* places;
  bool is_wide;
  void operator()(std::int64_t i, std::int64_t place) const {
    if (is_wide) static_cast<std::int64_t*>(places)[i] = place;
    else static_cast<std::int32_t*>(places)[i] = static_cast<std::int32_t>(place);
  }
};

template <class T>
void max_pool_with_places(cpu ctx, const pool_sizes& s, bool include_batch, const T* x, T* y, place_writer write) {
  ctx.parallel_ranges(s.pixels(), s.pixels_per_block(), [&](std::int64_t begin, std::int64_t end) {
    std::int64_t where[pool_channels];
    for (std::int64_t pixel = begin; pixel < end; ++pixel) {
      const pool_sizes::box box = s.at(pixel);
      const std::int64_t from = include_batch ? 0 : box.image * s.image_size();
      for (std::int64_t first = 0; first < s.depth; first += pool_channels) {
        const std::int64_t n = std::min(pool_channels, s.depth - first), out = pixel * s.depth + first;
        find_largest(s, x, box, first, first + n, where);
        for (std::int64_t c = 0; c < n; ++c) {
          y[out + c] = x[where[c]];
          write(out + c, where[c] - from);
        }
      }
    }
  });
}

// Adds to each of `parts` equal parts of dx, in parallel. Refuses places outside of their part.
template <class T>
bool add_at_places(cpu ctx, std::int64_t parts, const T* dy, const std::int64_t* places, std::int64_t n, T* dx,
                   std::int64_t size) {
  std::atomic<bool> good{true};
  ctx.parallel_for(parts, [&](std::int64_t part) {
    std::fill_n(dx + part * size, size, T{});
    for (std::int64_t i = part * n; i < (part + 1) * n; ++i) {
      if (places[i] < 0 || places[i] >= size) {
        good.store(false, std::memory_order_relaxed);
        return;
      }
      add_in_place(dx[part * size + places[i]], dy[i]);
    }
  });
  return good.load(std::memory_order_relaxed);
}

}  // namespace detail

template <class I, class T> void max_pool_with_argmax_op::operator()(cpu ctx, view<const T> x, view<T> y, view<I> argmax) const {
  if (y.size() == 0) return;
  detail::max_pool_with_places(ctx, detail::pool_sizes(ksize, detail::terms_of(*this), x.shape()), include_batch_in_index,
                               x.data(), y.data(), {argmax.data(), sizeof(I) == 8});
}

template <class I, class T>
void max_pool_grad_with_argmax_op::operator()(cpu ctx, view<const T> x, view<const T> dy, view<const I> argmax,
                                              view<T> dx) const {
  if (dx.size() == 0) return;
  const std::int64_t images = include_batch_in_index ? 1 : x.shape()[0];
  if (!detail::add_at_places(ctx, images, dy.data(), argmax.data(), static_cast<std::int64_t>(dy.size()) / images, dx.data(),
                             static_cast<std::int64_t>(dx.size()) / images))
    ctx.fail("expected indices of elements of the images");
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
