#pragma once

#include <flowgraph/ops/linear_algebra/solve.hpp>
#include <flowgraph/ops/linear_algebra/detail/stacked_index.hpp>
#include <flowgraph/ops/linear_algebra/detail/triangles.hpp>

#include <atomic>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline matrix_batch solve_batch(const shape& a, const shape& b) {
  const std::int64_t n = a[-1], k = b[-1], h = half_of(n);
  return {matrices_in(b), n * n * n * 2 / 3 + 2 * n * n * k, n * n + n, n * h, n, std::max(n, k), h};
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t solve_scratch(const shape& a, const shape& b) {
  return solve_batch(a, b).scratch();
}

template <class T> void solve_form::operator()(cpu ctx, view<const T> a, view<const T> b, view<T> x) const {
  if (x.size() == 0) return;
  std::atomic<bool> singular = false;
  for_each_matrix<T>(ctx, solve_batch(a.shape(), b.shape()), [&](std::int64_t i, workshop<T> w) {
    const block<T> result = matrix_of(x, i), lu = w.take_matrix(result.rows, result.rows);
    auto* pivots = w.template take<std::int64_t>(result.rows);
    copy_block(matrix_of(a, i), lu, adjoint);
    factor_lu(w, lu, pivots);
    if (is_singular<T>(lu)) singular.store(true, std::memory_order_relaxed);
    copy_block(matrix_of(b, i), result);
    solve_lu<T>(w, lu, pivots, result);
  });
  if (singular) ctx.fail("Input matrix is not invertible.");
}

inline matrix_batch triangular_solve_batch(const shape& a, const shape& b) {
  const std::int64_t n = a[-1], k = b[-1], h = half_of(n);
  shape batch;
  (void)broadcast(shape::of(a.dims, a.rank - 2), shape::of(b.dims, b.rank - 2), batch);
  return {batch.size(), n * n * k, 0, h * h, h, k, h};
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t triangular_solve_scratch(const shape& a, const shape& b) {
  return triangular_solve_batch(a, b).scratch();
}

template <class T> void triangular_solve_form::operator()(cpu ctx, view<const T> a, view<const T> b, view<T> x) const {
  if (x.size() == 0) return;
  for_each_matrix<T>(ctx, triangular_solve_batch(a.shape(), b.shape()), [&](std::int64_t i, workshop<T> w) {
    const block<T> result = matrix_of(x, i);
    copy_block(matrix_of(b, stacked_index(b.shape(), x.shape(), i)), result);
    solve_triangle(w, triangle<T>{matrix_of(a, stacked_index(a.shape(), x.shape(), i)), lower, adjoint}, result);
  });
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
