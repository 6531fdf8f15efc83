#pragma once

#include <flowgraph/ops/shared/detail/elementwise.hpp>
#include <flowgraph/ops/math/complex.hpp>

#include <complex>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

template <class R> void complex_row(const void* left, const void* right, void* result, std::int64_t n, row_form form) {
  const R* re = static_cast<const R*>(left);
  const R* im = static_cast<const R*>(right);
  auto* y = static_cast<std::complex<R>*>(result);
  const std::int64_t re_step = form != row_form::scalar_left, im_step = form != row_form::scalar_right;
  for (std::int64_t i = 0; i < n; ++i) y[i] = {re[i * re_step], im[i * im_step]};
}

}  // namespace detail

template <class R, class C>
  requires detail::complex_over<C, R> void complex_op::operator()(cpu ctx, view<const R> re, view<const R> im, view<C> y) const {
  detail::run_binary(ctx, {re.data(), im.data(), y.data(), &re.shape(), &im.shape(), &y.shape(), sizeof(R), sizeof(C)},
                     &detail::complex_row<R>);
}

template <class Op>
template <class C, class R>
  requires detail::complex_over<C, R> void complex_part<Op>::operator()(cpu ctx, view<const C> x, view<R> y) const {
  detail::for_each_block(ctx, static_cast<std::int64_t>(x.size()), [&](std::int64_t first, std::int64_t last) {
    const C* from = x.data();
    R* to = y.data();
    for (std::int64_t i = first; i < last; ++i) to[i] = Op::function::packet(from[i]);
  });
}

}  // namespace flowgraph
