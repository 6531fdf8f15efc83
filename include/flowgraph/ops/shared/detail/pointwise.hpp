#pragma once

#include <flowgraph/ops/shared/detail/number.hpp>
#include <flowgraph/ops/shared/pointwise.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Elements that one block of a parallel loop computes: such functions take some tens of nanoseconds.
inline constexpr std::int64_t pointwise_per_block = 1 << 12;

template <class T> void map_numbers(cpu ctx, view<const T> x, view<T> y, computed<T> (*f)(computed<T>)) {
  ctx.parallel_ranges(static_cast<std::int64_t>(y.size()), pointwise_per_block, [&](std::int64_t first, std::int64_t last) {
    for (auto i = static_cast<std::size_t>(first); i < static_cast<std::size_t>(last); ++i)
      y[i] = T(f(static_cast<computed<T>>(x[i])));
  });
}

template <class Op, class T>
void pointwise_row(const void* left, const void* right, void* result, std::int64_t n, row_form form) {
  const T* a = static_cast<const T*>(left);
  const T* b = static_cast<const T*>(right);
  T* y = static_cast<T*>(result);
  const std::int64_t a_step = form != row_form::scalar_left, b_step = form != row_form::scalar_right;
  for (std::int64_t i = 0; i < n; ++i) y[i] = Op::function::packet(a[i * a_step], b[i * b_step]);
}

}  // namespace detail

template <class Op> template <class T> void unary_pointwise<Op>::operator()(cpu ctx, view<const T> x, view<T> y) const {
  detail::map_numbers<T>(ctx, x, y, &Op::function::template packet<detail::computed<T>>);
}

template <class Op>
template <class T>
void binary_pointwise<Op>::operator()(cpu ctx, view<const T> a, view<const T> b, view<T> y) const {
  detail::run_binary(ctx, {a.data(), b.data(), y.data(), &a.shape(), &b.shape(), &y.shape(), sizeof(T), sizeof(T)},
                     &detail::pointwise_row<Op, T>);
}

}  // namespace flowgraph
