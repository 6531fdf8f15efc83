#pragma once

#include <flowgraph/ops/linear_algebra/cholesky.hpp>
#include <flowgraph/ops/linear_algebra/detail/triangles.hpp>

#include <limits>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline matrix_batch cholesky_batch(const shape& x) {
  const std::int64_t n = x[-1], h = half_of(n);
  return {matrices_in(x), n * n * n / 3, n * n, n * h, n, n, h};
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t cholesky_scratch(const shape& x) { return cholesky_batch(x).scratch(); }

template <class T> void cholesky_form::operator()(cpu ctx, view<const T> x, view<T> y) const {
  for_each_matrix<T>(ctx, cholesky_batch(x.shape()), [&](std::int64_t i, workshop<T> w) {
    const block<T> l = matrix_of(y, i), u = w.take_matrix(l.rows, l.rows);
    copy_block(matrix_of(x, i), u, true);
    const bool is_positive = factor_positive(w, u);
    copy_block(u, l, true);
    for (std::int64_t r = 0; r < l.rows; ++r) {
      if (!is_positive) std::fill_n(l.row(r), r + 1, T(std::numeric_limits<real_of<T>>::quiet_NaN()));
      std::fill(l.row(r) + r + 1, l.row(r) + l.rows, T(0));
    }
  });
}

inline matrix_batch cholesky_gradient_batch(const shape& x) {
  const std::int64_t n = x[-1];
  return {matrices_in(x), 3 * n * n * n, 3 * n * n, n * n, n, n, n};
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t cholesky_gradient_scratch(const shape& x) {
  return cholesky_gradient_batch(x).scratch();
}

template <class T> void copy_lower(block<const T> from, block<T> to) {
  for (std::int64_t i = 0; i < to.rows; ++i) {
    std::copy_n(from.row(i), i + 1, to.row(i));
    std::fill(to.row(i) + i + 1, to.row(i) + to.rows, T(0));
  }
}

// Like the gradient of Cholesky: the symmetric part of l^-T m l^-1, where m is the lower triangle of l^T dl with half its
// diagonal.
template <class T> void cholesky_grad_form::operator()(cpu ctx, view<const T> l, view<const T> dl, view<T> y) const {
  for_each_matrix<T>(ctx, cholesky_gradient_batch(l.shape()), [&](std::int64_t i, workshop<T> w) {
    const block<T> result = matrix_of(y, i);
    const std::int64_t n = result.rows;
    const block<T> left = w.take_matrix(n, n), right = w.take_matrix(n, n), m = w.take_matrix(n, n);
    copy_lower(matrix_of(l, i), left);
    copy_lower(matrix_of(dl, i), right);
    multiply(w, m, left, true, right, false, product_mode::assign);
    copy_lower(block<const T>(m), right);
    for (std::int64_t k = 0; k < n; ++k) right(k, k) /= 2;
    const triangle<T> transposed{left, true, true};
    solve_triangle(w, transposed, right);
    copy_block(right, m, true);
    solve_triangle(w, transposed, m);
    for (std::int64_t r = 0; r < n; ++r)
      for (std::int64_t c = 0; c < n; ++c) result(r, c) = (m(r, c) + m(c, r)) / 2;
  });
}

}  // namespace flowgraph::detail
