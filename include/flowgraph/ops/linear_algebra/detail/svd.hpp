#pragma once

#include <flowgraph/ops/linear_algebra/detail/rotations.hpp>
#include <flowgraph/ops/linear_algebra/svd.hpp>

#include <numeric>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::array<shape, 3> svd_shape(shape_context& c, const shape& x, bool with_vectors,
                                                                      bool full) {
  const shape unknown = shape::unknown(), none{0};
  if (!has_matrices(c, x) || !x.has_rank()) return {unknown, with_vectors ? unknown : none, with_vectors ? unknown : none};
  const std::int64_t m = x[-2], n = x[-1], k = smaller_extent(m, n);
  const shape batch = batch_of(x), s = with_axes(batch, {k});
  if (!with_vectors) return {s, none, none};
  return {s, with_axes(batch, {m, full ? m : k}), with_axes(batch, {n, full ? n : k})};
}

inline matrix_batch svd_batch(const shape& x, bool full) {
  const std::int64_t m = std::max(x[-2], x[-1]), n = std::min(x[-2], x[-1]), columns = full ? m : n;
  const std::int64_t own = m * n + 2 * n * n + m * columns + 5 * n + 2 * m + n;
  return basis_batch(matrices_in(x), 4 * m * n * n + 6 * n * n * (m + n), own, m);
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t svd_scratch(const shape& x, bool full) { return svd_batch(x, full).scratch(); }

// The decomposition of a matrix a with at least as many rows as columns into u b v^H, where b is real and bidiagonal.
template <class T> struct bidiagonal_form {
  using R = real_of<T>;
  block<T> a, rows;  // the vectors of the reflections from the left, below the diagonal of a, and those from the right, as rows
  R *d, *e;
  T *left, *right, *sums;  // their factors; memory for sums

  bidiagonal_form(workshop<T>& w, std::int64_t m, std::int64_t n)
      : a(w.take_matrix(m, n)), rows(w.take_matrix(n, n)), d(w.template take<R>(n)), e(w.template take<R>(n)),
        left(w.template take<T>(n)), right(w.template take<T>(n)), sums(w.template take<T>(m + n)) {}

  void reduce() {
    for (std::int64_t k = 0; k < a.columns; ++k) {
      const block<T> column = a.part(k, k, a.rows - k, 1);
      const auto h = reflection<T>::of_column(column);
      d[k] = h.length;
      left[k] = h.factor;
      const std::int64_t rest = a.columns - k - 1;
      h.apply(column, a.part(k, k + 1, a.rows - k, rest), sums);
      if (rest > 0) reflect_row(k, rest);
    }
  }
  // Turns the rest of row k into a multiple of its first element, by a reflection from the right.
  void reflect_row(std::int64_t k, std::int64_t rest) {
    T* const v = rows.row(k);
    for (std::int64_t j = 0; j < rest; ++j) v[j] = conjugate_of(a(k, k + 1 + j));
    const auto h = reflection<T>::of_column(block<T>(v, rest, 1));
    e[k] = h.length;
    right[k] = h.factor;
    v[0] = T(1);
    const T factor = conjugate_of(h.factor);
    for (std::int64_t i = k + 1; i < a.rows; ++i) {
      T* const to = a.row(i) + k + 1;
      T dot = T(0);
      for (std::int64_t j = 0; j < rest; ++j) dot += times(to[j], v[j]);
      dot = times(factor, dot);
      for (std::int64_t j = 0; j < rest; ++j) to[j] -= times(dot, conjugate_of(v[j]));
    }
  }
  void make_left(const workshop<T>& w, block<T> u) const {
    form_basis<T>(
        w, left, a.columns, 0, [&](std::int64_t k, std::int64_t i) { return a(k + i, k); }, u);
  }
  void make_right(const workshop<T>& w, block<T> v) const {
    form_basis<T>(
        w, right, a.columns - 1, 1, [&](std::int64_t k, std::int64_t i) { return rows(k, i); }, v);
  }
};

// Copies column i of `from` to row i of `to`.
template <class T> void copy_columns(block<const T> from, block<T> to) {
  for (std::int64_t i = 0; i < to.rows; ++i)
    for (std::int64_t j = 0; j < to.columns; ++j) to(i, j) = from(j, i);
}

// Finds the singular values and vectors of x, which has at least as many rows as columns if it is not adjoint. u and v may be
// empty.
template <class T> bool find_singular_values(workshop<T>& w, block<const T> x, bool adjoint, T* s, block<T> u, block<T> v) {
  using R = real_of<T>;
  const std::int64_t m = std::max(x.rows, x.columns), n = std::min(x.rows, x.columns);
  bidiagonal_form<T> b(w, m, n);
  const block<T> left = w.take_matrix(u.columns, u.rows), right = w.take_matrix(v.columns > 0 ? n : 0, v.rows);
  auto* order = w.template take<std::int64_t>(n);
  if (!is_finite(x)) return false;
  const R scale = scale_of(x);
  copy_block(x, b.a, adjoint);
  for (std::int64_t i = 0; i < m * n; ++i) b.a.at[i] /= scale;
  b.reduce();
  if (u.columns > 0) {
    b.make_left(w, u);
    copy_columns<T>(u, left);
  }
  if (v.columns > 0) {
    b.make_right(w, v);
    copy_columns<T>(v, right);
  }
  if (!bidiagonal_iteration<R, T>(b.d, b.e, n, block<T>(left.at, n, left.columns), block<T>(right.at, n, right.columns)).run())
    return false;
  std::iota(order, order + n, std::int64_t{0});
  std::sort(order, order + n, [&](std::int64_t i, std::int64_t j) { return b.d[i] > b.d[j] || (b.d[i] == b.d[j] && i < j); });
  for (std::int64_t i = 0; i < n; ++i) s[i] = b.d[order[i]] * scale;
  for (std::int64_t c = 0; c < u.columns; ++c)
    for (std::int64_t r = 0; r < u.rows; ++r) u(r, c) = left(c < n ? order[c] : c, r);
  for (std::int64_t c = 0; c < v.columns; ++c)
    for (std::int64_t r = 0; r < v.rows; ++r) v(r, c) = right(order[c], r);
  return true;
}

template <class T> void svd_form::operator()(cpu ctx, view<const T> x, view<T> s, view<T> u, view<T> v) const {
  const bool wide = x.shape()[-1] > x.shape()[-2];
  const std::int64_t n = s.shape()[-1];
  for_each_matrix<T>(ctx, svd_batch(x.shape(), full_matrices), [&](std::int64_t i, workshop<T> w) {
    const block<T> none(nullptr, 0, 0), of_u = compute_uv ? matrix_of(u, i) : none, of_v = compute_uv ? matrix_of(v, i) : none;
    T* const values = s.data() + i * n;
    if (find_singular_values(w, matrix_of(x, i), wide, values, wide ? of_v : of_u, wide ? of_u : of_v)) return;
    const T missing(std::numeric_limits<real_of<T>>::quiet_NaN());
    std::fill_n(values, n, missing);
    for (const block<T>& b : {of_u, of_v}) std::fill_n(b.at, b.rows * b.columns, missing);
  });
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
