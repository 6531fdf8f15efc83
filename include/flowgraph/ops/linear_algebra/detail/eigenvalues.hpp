#pragma once

#include <flowgraph/ops/linear_algebra/detail/rotations.hpp>
#include <flowgraph/ops/linear_algebra/eigenvalues.hpp>

#include <atomic>
#include <numeric>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::array<shape, 2> eigen_shape(shape_context& c, const shape& x, bool with_vectors) {
  const shape square = square_matrices_shape(c, x);
  const shape none{0};
  if (!square.has_rank()) return {square, with_vectors ? square : none};
  return {with_axes(batch_of(square), {square[-1]}), with_vectors ? square : none};
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape joined_eigen_shape(shape_context& c, const shape& x) {
  const shape square = square_matrices_shape(c, x);
  if (!square.has_rank()) return square;
  return with_axes(batch_of(square), {square[-1] < 0 ? -1 : square[-1] + 1, square[-1]});
}

inline matrix_batch eigen_batch(const shape& x) {
  const std::int64_t n = x[-1];
  return basis_batch(matrices_in(x), 9 * n * n * n, 2 * n * n + 6 * n, n);
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t eigen_scratch(const shape& x) { return eigen_batch(x).scratch(); }

// Copies the lower triangle of a Hermitian matrix, divided by `scale`, to both triangles.
template <class T> void copy_hermitian(block<const T> from, block<T> to, real_of<T> scale) {
  for (std::int64_t i = 0; i < to.rows; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      to(i, j) = from(i, j) / scale;
      to(j, i) = conjugate_of(to(i, j));
    }
    to(i, i) = std::real(from(i, i)) / scale;
  }
}

// Replaces the Hermitian matrix a by a - w v^H - v w^H, its reflection from both sides. v is the column `column` with a 1 on top.
template <class T> void reflect_both_sides(block<T> a, block<const T> column, T factor, T* v, T* w) {
  const std::int64_t n = a.rows;
  for (std::int64_t i = 0; i < n; ++i) {
    v[i] = i == 0 ? T(1) : column(i, 0);
    w[i] = T(0);
  }
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i) w[i] += times(v[j], conjugate_of(a(j, i)));
  T dot = T(0);
  for (std::int64_t i = 0; i < n; ++i) dot += times(conjugate_of(v[i]), w[i]);
  const T shared = std::norm(factor) / 2 * std::real(dot);
  for (std::int64_t i = 0; i < n; ++i) w[i] = times(conjugate_of(factor), w[i]) - times(shared, v[i]);
  for (std::int64_t i = 0; i < n; ++i) {
    const T left = w[i], right = v[i];
    for (std::int64_t j = 0; j < n; ++j) a(i, j) -= times(left, conjugate_of(v[j])) + times(right, conjugate_of(w[j]));
  }
}

// Makes the Hermitian matrix a tridiagonal, with real diagonals d and e. The vectors of the reflections stay below the diagonal.
template <class T> void make_tridiagonal(block<T> a, real_of<T>* d, real_of<T>* e, T* factors, T* v, T* w) {
  for (std::int64_t k = 0; k < a.rows; ++k) {
    d[k] = std::real(a(k, k));
    const std::int64_t rest = a.rows - k - 1;
    if (rest == 0) break;
    const block<T> column = a.part(k + 1, k, rest, 1);
    const auto h = reflection<T>::of_column(column);
    e[k] = h.length;
    factors[k] = h.factor;
    if (h.factor != T(0)) reflect_both_sides<T>(a.part(k + 1, k + 1, rest, rest), column, h.factor, v, w);
  }
}

// Finds the eigenvalues of x, and the eigenvectors as the columns of `vectors`, which may be empty. Returns false for NaN.
template <class T> bool find_eigenvalues(workshop<T>& w, block<const T> x, T* values, block<T> vectors) {
  using R = real_of<T>;
  const std::int64_t n = x.rows;
  const block<T> a = w.take_matrix(n, n), q = w.take_matrix(vectors.rows, vectors.rows);
  R *d = w.template take<R>(n), *e = w.template take<R>(n);
  T *factors = w.template take<T>(n), *v = w.template take<T>(n), *products = w.template take<T>(n);
  auto* order = w.template take<std::int64_t>(n);
  const R scale = scale_of(x);
  copy_hermitian(x, a, scale);
  make_tridiagonal(a, d, e, factors, v, products);
  form_basis<T>(
      w, factors, q.rows - 1, 1, [&](std::int64_t k, std::int64_t i) { return a(k + 1 + i, k); }, q);
  for (std::int64_t i = 0; i < q.rows; ++i)
    for (std::int64_t j = 0; j < i; ++j) std::swap(q(i, j), q(j, i));
  if (!diagonalize_tridiagonal(d, e, n, block<T>(q.at, n, q.columns))) return false;
  std::iota(order, order + n, std::int64_t{0});
  std::sort(order, order + n, [&](std::int64_t i, std::int64_t j) { return d[i] < d[j] || (d[i] == d[j] && i < j); });
  for (std::int64_t i = 0; i < n; ++i) {
    values[i] = d[order[i]] * scale;
    for (std::int64_t r = 0; r < vectors.rows; ++r) vectors(r, i) = q(order[i], r);
  }
  return true;
}

inline void report_eigenvalues(cpu ctx, bool found) {
  if (!found) ctx.fail("Self-adjoint eigen decomposition was not successful. The input might not be valid.");
}

template <class T> void self_adjoint_eig_v2_form::operator()(cpu ctx, view<const T> x, view<T> e, view<T> v) const {
  std::atomic<bool> found = true;
  for_each_matrix<T>(ctx, eigen_batch(x.shape()), [&](std::int64_t i, workshop<T> w) {
    const std::int64_t n = x.shape()[-1];
    const block<T> vectors = compute_v ? matrix_of(v, i) : block<T>(nullptr, 0, 0);
    if (!find_eigenvalues(w, matrix_of(x, i), e.data() + i * n, vectors)) found.store(false, std::memory_order_relaxed);
  });
  report_eigenvalues(ctx, found);
}

template <class T> void self_adjoint_eig_form::operator()(cpu ctx, view<const T> x, view<T> y) const {
  std::atomic<bool> found = true;
  for_each_matrix<T>(ctx, eigen_batch(x.shape()), [&](std::int64_t i, workshop<T> w) {
    const block<T> result = matrix_of(y, i);
    if (!find_eigenvalues(w, matrix_of(x, i), result.at, result.part(1, 0, result.columns, result.columns)))
      found.store(false, std::memory_order_relaxed);
  });
  report_eigenvalues(ctx, found);
}

}  // namespace flowgraph::detail
