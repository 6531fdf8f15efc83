#pragma once

#include <flowgraph/ops/nn/detail/pool.hpp>
#include <flowgraph/ops/shared/detail/shape_rule.hpp>
#include <flowgraph/ops/nn/pool_v2.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::max_pool_v2_shape(shape_context& c, const max_pool_v2_attributes& a,
                                                                       std::size_t first, const shape& images, const shape& ksize,
                                                                       const shape& strides, const shape* y, const shape* dy,
                                                                       const shape* ddx) {
  const shape sizes = vector_of_integers(c, first, ksize, "ksize", 4);
  const shape steps = c.failed() ? sizes : vector_of_integers(c, first + 1, strides, "strides", 4);
  if (c.failed()) return shape::unknown();
  const shape rank_four = shape::unknown_of_rank(4);
  if (!fits(images, rank_four)) return c.fail("expected a batch of 4 axes");
  if (!sizes.has_rank() || !steps.has_rank()) {
    if (ddx) return merged(*y, rank_four);
    shape result = rank_four;
    if (dy) result = merged(images, rank_four);
    else if (images.has_rank()) result[0] = images[0];
    return result;
  }
  const std::span<const std::int64_t> windows(sizes.begin(), sizes.end());
  const window_terms t{{steps.begin(), steps.end()}, {}, {}, a.padding, a.data_format == data_format::nchw};
  if (ddx) return pool_second_shape(c, windows, t, 4, images, *y, *ddx);
  if (dy) return pool_gradient_shape(c, windows, t, 4, images, *y, *dy);
  return max_pool_shape(c, windows, t, images);
}

namespace detail {

// The inputs in the form that the kernels use.
struct pool_inputs {
  std::int64_t ksize[4], strides[4];
  window_terms terms;

  FLOWGRAPH_COLD pool_inputs(const max_pool_v2_attributes& a, view<const std::int32_t> sizes, view<const std::int32_t> steps) {
    std::copy_n(sizes.data(), 4, ksize);
    std::copy_n(steps.data(), 4, strides);
    terms = {strides, {}, {}, a.padding, a.data_format == data_format::nchw};
  }
  pool_inputs(const pool_inputs&) = delete;
  pool_inputs& operator=(const pool_inputs&) = delete;
};

}  // namespace detail

template <class T>
void max_pool_v2_op::operator()(cpu ctx, view<const T> x, view<const std::int32_t> ksize, view<const std::int32_t> strides,
                                view<T> y) const {
  const detail::pool_inputs in(*this, ksize, strides);
  const auto s = detail::sizes_of_pool(ctx, in.ksize, in.terms, x.shape(), y.size());
  if (!s) return;
  if (in.ksize[3] > 1) return detail::max_of_channels(ctx, x.data(), in.ksize[3], y.data(), static_cast<std::int64_t>(y.size()));
  detail::max_pool(ctx, *s, x.data(), y.data());
}

template <class T>
void max_pool_grad_v2_op::operator()(cpu ctx, view<const T> x, view<const T>, view<const T> dy, view<const std::int32_t> ksize,
                                     view<const std::int32_t> strides, view<T> dx) const {
  const detail::pool_inputs in(*this, ksize, strides);
  if (const auto s = detail::sizes_of_pool(ctx, in.ksize, in.terms, x.shape(), dx.size()))
    detail::max_pool_gradient(ctx, *s, x.data(), dy.data(), dx.data());
}

template <class T>
void max_pool_grad_grad_v2_op::operator()(cpu ctx, view<const T> x, view<const T>, view<const T> ddx,
                                          view<const std::int32_t> ksize, view<const std::int32_t> strides, view<T> ddy) const {
  const detail::pool_inputs in(*this, ksize, strides);
  if (const auto s = detail::sizes_of_pool(ctx, in.ksize, in.terms, x.shape(), ddy.size()))
    detail::max_pool_second(ctx, *s, x.data(), ddx.data(), ddy.data());
}

}  // namespace flowgraph
