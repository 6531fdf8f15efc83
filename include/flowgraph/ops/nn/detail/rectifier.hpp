#pragma once

#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/nn/rectifier.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class T> void leaky_relu_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  const T slope(alpha);
  detail::for_each_block(ctx, static_cast<std::int64_t>(x.size()), [&](std::int64_t first, std::int64_t last) {
    detail::binary_row_of<functor::leaky_relu, T>(x.data() + first, &slope, y.data() + first, last - first,
                                                  detail::row_form::scalar_right);
  });
}

template <class T> void leaky_relu_grad_op::operator()(cpu ctx, view<const T> dy, view<const T> x, view<T> dx) const {
  using detail::row_form;
  const T slope(alpha);
  detail::for_each_block(ctx, static_cast<std::int64_t>(x.size()), [&](std::int64_t first, std::int64_t last) {
    T factors[detail::half_block];  // not in dx, which may be dy
    for (; first < last; first += detail::half_block) {
      const std::int64_t n = std::min(detail::half_block, last - first);
      detail::binary_row_of<functor::leaky_slope, T>(x.data() + first, &slope, factors, n, row_form::scalar_right);
      detail::binary_row_of<functor::mul, T>(dy.data() + first, factors, dx.data() + first, n, row_form::both);
    }
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
