#pragma once

#include <flowgraph/ops/shared/detail/number.hpp>
#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/ops/nn/local_response.hpp>

#include <algorithm>
#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Some of the channels of one pixel, in float.
struct channel_block {
  static constexpr std::int64_t most = 256;
  float elements[most];
};

// The calculation of rows of channels, a block at a time.
class local_response_run {
public:
  local_response_run(const local_response_attributes& a, std::int64_t depth)
      : a_(a), depth_(depth), radius_(std::min(a.depth_radius, depth)) {}

  // Sums the terms of neighbouring channels. `terms(first, n, to)` writes the terms of some channels.
  template <class Terms> void sum_neighbours(std::int64_t first, std::int64_t n, const Terms& terms, channel_block& sums) const {
    std::fill_n(sums.elements, n, 0.f);
    // Channel i of the block adds terms [i - radius, i + radius]; the terms come in blocks, too.
    const std::int64_t begin = std::max<std::int64_t>(0, first - radius_), end = std::min(depth_, first + n + radius_);
    channel_block some;
    for (std::int64_t at = begin; at < end; at += channel_block::most) {
      const std::int64_t m = std::min(channel_block::most, end - at);
      terms(at, m, some.elements);
      for (std::int64_t away = -radius_; away <= radius_; ++away) {
        const std::int64_t from = std::max(first, at - away), to = std::min(first + n, at + m - away);
        if (from < to) {
          float* sum = sums.elements + (from - first);
          add_(sum, some.elements + (from + away - at), sum, to - from);
        }
      }
    }
  }
  // Computes norms = bias + alpha * (sum of the squares of the neighbours).
  template <class Row> void find_norms(std::int64_t first, std::int64_t n, const Row& row, channel_block& norms) const {
    sum_neighbours(
        first, n,
        [&](std::int64_t at, std::int64_t m, float* to) {
          row(at, m, to);
          square_(to, to, m);
        },
        norms);
    for (std::int64_t i = 0; i < n; ++i) norms.elements[i] = a_.bias + a_.alpha * norms.elements[i];
  }
  // Sets norms to norms ^ -beta.
  void raise(channel_block& norms, std::int64_t n) const {
    float* x = norms.elements;
    if (a_.beta == 1) return reciprocal_(x, x, n);
    if (a_.beta == 0.5f) return rsqrt_(x, x, n);
    log_(x, x, n);
    for (std::int64_t i = 0; i < n; ++i) x[i] *= -a_.beta;
    exp_(x, x, n);
  }

private:
  using loop = void (*)(const float*, float*, std::int64_t);
  const local_response_attributes& a_;
  std::int64_t depth_, radius_;
  void (*add_)(const float*, const float*, float*, std::int64_t) = kernel::binary_loop<functor::add, float>().both;
  loop square_ = kernel::unary_loop<functor::square, float>(), reciprocal_ = kernel::unary_loop<functor::reciprocal, float>();
  loop rsqrt_ = kernel::unary_loop<functor::rsqrt, float>();
  loop log_ = kernel::unary_loop<functor::log, float>(), exp_ = kernel::unary_loop<functor::exp, float>();
};

template <class T> void read_channels(const T* x, std::int64_t n, float* to) {
  for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(x[i]);
}

// Calls f(offset of a pixel, first channel, channels) on the run's threads.
template <class F> void for_each_pixel_block(cpu ctx, std::int64_t pixels, std::int64_t depth, F&& f) {
  if (pixels * depth == 0) return;
  ctx.parallel_ranges(pixels, std::max<std::int64_t>(1, (1 << 13) / depth), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t pixel = begin; pixel < end; ++pixel)
      for (std::int64_t first = 0; first < depth; first += channel_block::most)
        f(pixel * depth, first, std::min(channel_block::most, depth - first));
  });
}

}  // namespace detail

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::local_response_shape(shape_context& c, const local_response_attributes& a,
                                                                          const shape& x) {
  if (a.depth_radius < 0 || a.depth_radius > std::numeric_limits<int>::max())
    return c.fail(message{"depth_radius must not be negative and must fit into 32 bits, found ", a.depth_radius});
  return fits(x, {any, any, any, any}) ? merged(x, {any, any, any, any}) : c.fail("expected a batch of images: four axes");
}

template <class T> void lrn_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  const std::int64_t depth = x.dim(3), pixels = x.dim(0) * x.dim(1) * x.dim(2);
  const detail::local_response_run run(*this, depth);
  detail::for_each_pixel_block(ctx, pixels, depth, [&](std::int64_t offset, std::int64_t first, std::int64_t n) {
    const T* row = x.data() + offset;
    detail::channel_block norms;
    run.find_norms(
        first, n, [&](std::int64_t at, std::int64_t m, float* to) { detail::read_channels(row + at, m, to); }, norms);
    run.raise(norms, n);
    for (std::int64_t i = 0; i < n; ++i) y.data()[offset + first + i] = T(static_cast<float>(row[first + i]) * norms.elements[i]);
  });
}

// Computes dx = dy norm^-beta - 2 alpha beta x (sum of dy y / norm over the neighbours).
template <class T> void lrn_grad_op::operator()(cpu ctx, view<const T> dy, view<const T> x, view<const T> y, view<T> dx) const {
  const std::int64_t depth = x.dim(3), pixels = x.dim(0) * x.dim(1) * x.dim(2);
  const detail::local_response_run run(*this, depth);
  const float factor = 2 * alpha * beta;
  detail::for_each_pixel_block(ctx, pixels, depth, [&](std::int64_t offset, std::int64_t first, std::int64_t n) {
    const T *row = x.data() + offset, *arrived = dy.data() + offset, *result = y.data() + offset;
    const auto read = [&](std::int64_t at, std::int64_t m, float* to) { detail::read_channels(row + at, m, to); };
    detail::channel_block norms, sums;
    run.sum_neighbours(
        first, n,
        [&](std::int64_t at, std::int64_t m, float* to) {
          run.find_norms(at, m, read, norms);
          for (std::int64_t i = 0; i < m; ++i)
            to[i] = static_cast<float>(arrived[at + i]) * static_cast<float>(result[at + i]) / norms.elements[i];
        },
        sums);
    run.find_norms(first, n, read, norms);
    run.raise(norms, n);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t k = first + i;
      dx.data()[offset + k] =
          T(static_cast<float>(arrived[k]) * norms.elements[i] - factor * static_cast<float>(row[k]) * sums.elements[i]);
    }
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
