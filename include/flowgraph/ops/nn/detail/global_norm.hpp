#pragma once

#include <flowgraph/ops/shared/detail/wide.hpp>
#include <flowgraph/ops/nn/global_norm.hpp>

#include <algorithm>
#include <cmath>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape detail::global_norm_shape(shape_context& c, const shape& t,
                                                                       std::span<const shape* const> vectors) {
  if (!fits(t, {any, any, any, any})) return c.fail("expected a batch of images: four axes");
  shape result = merged(t, {any, any, any, any});
  for (const shape* v : vectors) {
    if (!fits(*v, {result[3]})) return c.fail("expected vectors of one element per channel");
    if (v->rank == 1 && result[3] < 0) result[3] = (*v)[0];
  }
  return result;
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t detail::global_norm_scratch(const shape& t) {
  return t.rank == 4 ? static_cast<std::size_t>(t[3]) * sizeof(double) : 0;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::array<shape, 5> batch_norm_with_global_normalization_grad_op::shape(
    shape_context& c, const flowgraph::shape& t, const flowgraph::shape& mean, const flowgraph::shape& variance,
    const flowgraph::shape& gamma, const flowgraph::shape& dy) const {
  const bool fit = fits(t, dy);
  if (!fit) c.fail("expected a gradient in the shape of the batch");
  const flowgraph::shape result = fit ? detail::global_norm_shape(c, merged(t, dy), {{&mean, &variance, &gamma}}) : t;
  const flowgraph::shape channels{result.rank == 4 ? result[3] : -1};
  return {result, channels, channels, channels, channels};
}

template <class T>
void batch_norm_with_global_normalization_op::operator()(cpu ctx, view<const T> t, view<const T> mean, view<const T> variance,
                                                         view<const T> beta, view<const T> gamma, view<T> y) const {
  using wide = detail::wide<T>;
  const std::int64_t n = t.dim(3);
  if (t.size() == 0) return;
  wide* factors = ctx.scratch<wide>();
  for (std::int64_t i = 0; i < n; ++i) {
    const wide inverse = 1 / std::sqrt(detail::widened(variance.data()[i]) + static_cast<wide>(variance_epsilon));
    factors[i] = scale_after_normalization ? inverse * detail::widened(gamma.data()[i]) : inverse;
  }
  ctx.parallel_ranges(static_cast<std::int64_t>(t.size()) / n, std::max<std::int64_t>(1, (1 << 14) / n),
                      [&](std::int64_t first, std::int64_t last) {
                        for (std::int64_t row = first; row < last; ++row) {
                          const T* from = t.data() + row * n;
                          for (std::int64_t i = 0; i < n; ++i)
                            y.data()[row * n + i] =
                                detail::narrowed<T>((detail::widened(from[i]) - detail::widened(mean.data()[i])) * factors[i] +
                                                    detail::widened(beta.data()[i]));
                        }
                      });
}

template <class T>
void batch_norm_with_global_normalization_grad_op::operator()(cpu ctx, view<const T> t, view<const T> mean,
                                                              view<const T> variance, view<const T> gamma, view<const T> dy,
                                                              view<T> dt, view<T> dmean, view<T> dvariance, view<T> dbeta,
                                                              view<T> dgamma) const {
  using wide = detail::wide<T>;
  constexpr std::int64_t together = 64, rows_at_once = 256;
  const std::int64_t n = t.dim(3), rows = t.dim(0) * t.dim(1) * t.dim(2);
  ctx.parallel_ranges(n, together, [&](std::int64_t first, std::int64_t last) {
    wide inverse[together], factor[together], sum[together] = {}, product[together] = {};
    for (std::int64_t c = first; c < last; ++c) {
      inverse[c - first] = 1 / std::sqrt(detail::widened(variance.data()[c]) + static_cast<wide>(variance_epsilon));
      factor[c - first] = inverse[c - first] * (scale_after_normalization ? detail::widened(gamma.data()[c]) : wide(1));
    }
    // Some hundred rows at a time: so errors stay small.
    for (std::int64_t begin = 0; begin < rows; begin += rows_at_once) {
      wide some_sum[together] = {}, some_product[together] = {};
      for (std::int64_t row = begin; row < std::min(begin + rows_at_once, rows); ++row)
        for (std::int64_t c = first; c < last; ++c) {
          const wide arrived = detail::widened(dy.data()[row * n + c]);
          some_sum[c - first] += arrived;
          some_product[c - first] += arrived * (detail::widened(t.data()[row * n + c]) - detail::widened(mean.data()[c]));
          dt.data()[row * n + c] = detail::narrowed<T>(arrived * factor[c - first]);
        }
      for (std::int64_t i = 0; i < last - first; ++i) {
        sum[i] += some_sum[i];
        product[i] += some_product[i];
      }
    }
    for (std::int64_t c = first; c < last; ++c) {
      const std::int64_t i = c - first;
      dmean.data()[c] = detail::narrowed<T>(-sum[i] * factor[i]);
      dvariance.data()[c] = detail::narrowed<T>(product[i] * wide(-0.5) * inverse[i] * inverse[i] * factor[i]);
      dbeta.data()[c] = detail::narrowed<T>(sum[i]);
      dgamma.data()[c] = detail::narrowed<T>(scale_after_normalization ? product[i] * inverse[i] : wide(0));
    }
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
