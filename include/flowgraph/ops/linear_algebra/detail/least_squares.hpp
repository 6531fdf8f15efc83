#pragma once

#include <flowgraph/ops/linear_algebra/least_squares.hpp>
#include <flowgraph/ops/linear_algebra/detail/reflectors.hpp>

#include <atomic>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline matrix_batch least_squares_batch(const shape& a, const shape& b, bool fast) {
  const std::int64_t m = a[-2], n = a[-1], k = b[-1], small = std::min(m, n), large = std::max(m, n);
  const std::int64_t panels = (small + panel_columns) * panel_columns + panel_memory<float>::elements(large, large + k);
  const std::int64_t own = fast ? small * (small + k) : 2 * m * n + 2 * large * k + 2 * (m + n + k) + panels;
  const std::int64_t most = std::max(large, panel_columns);
  return {matrices_in(a), 2 * m * n * (small + k), own, most * std::max(small, panel_columns), most, large + k, most};
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t least_squares_scratch(const shape& a, const shape& b, bool fast) {
  return least_squares_batch(a, b, fast).scratch();
}

// Solves by the normal equations. Returns false if they are singular.
template <class T> bool solve_normal_equations(workshop<T>& w, block<const T> a, block<const T> b, real_of<T> l2, block<T> x) {
  const bool tall = a.rows >= a.columns;
  const std::int64_t n = std::min(a.rows, a.columns);
  const block<T> gram = w.take_matrix(n, n), right = tall ? x : w.take_matrix(n, b.columns);
  multiply(w, gram, a, tall, a, !tall, product_mode::assign);
  for (std::int64_t i = 0; i < n; ++i) gram(i, i) += l2;
  if (!factor_positive(w, gram)) return false;
  if (tall) multiply(w, right, a, true, b, false, product_mode::assign);
  else copy_block(b, right);
  solve_triangle(w, triangle<T>{gram, false, true}, right);
  solve_triangle(w, triangle<T>{gram, false}, right);
  if (!tall) multiply(w, x, a, true, right, false, product_mode::assign);
  return true;
}

// Decomposes a with its columns in an order of falling size, and multiplies b by q^H. Returns the rank.
template <class T> std::int64_t factor_pivoted(block<T> a, block<T> b, std::int64_t* order, T* sums) {
  using R = real_of<T>;
  const std::int64_t k = std::min(a.rows, a.columns);
  R largest = 0;
  for (std::int64_t j = 0; j < a.columns; ++j) order[j] = j;
  for (std::int64_t s = 0; s < k; ++s) {
    std::int64_t best = s;
    R longest = -1;
    for (std::int64_t j = s; j < a.columns; ++j) {
      R squares = 0;
      for (std::int64_t i = s; i < a.rows; ++i) squares += std::norm(a(i, j));
      if (squares > longest) longest = squares, best = j;
    }
    for (std::int64_t i = 0; i < a.rows; ++i) std::swap(a(i, s), a(i, best));
    std::swap(order[s], order[best]);
    const block<T> column = a.part(s, s, a.rows - s, 1);
    const auto h = reflection<T>::of_column(column);
    a(s, s) = h.length;
    largest = std::max(largest, std::abs(h.length));
    if (std::abs(h.length) <= largest * std::numeric_limits<R>::epsilon() * static_cast<R>(k)) return s;
    h.apply(column, a.part(s, s + 1, a.rows - s, a.columns - s - 1), sums);
    h.apply(column, b.part(s, 0, a.rows - s, b.columns), sums);
  }
  return k;
}

// Solves by a complete orthogonal decomposition: a = q (r, 0) z^H. The matrix r has as many rows and columns as the rank of a, so
// `a` may have any rank.
template <class T> void solve_orthogonally(workshop<T>& w, block<const T> a, block<const T> b, block<T> x) {
  const std::int64_t n = a.columns, small = std::min(a.rows, n), large = std::max(a.rows, n);
  const block<T> qr = w.take_matrix(a.rows, n), right = w.take_matrix(a.rows, b.columns);
  auto* order = w.template take<std::int64_t>(n);
  T* sums = w.template take<T>(n + b.columns);
  copy_block(a, qr);
  copy_block(b, right);
  const std::int64_t rank = factor_pivoted(qr, right, order, sums);
  // The upper rows (r11, r12) are z r^H again, by a second decomposition of their adjoint.
  const block<T> adjoint = w.take_matrix(n, rank), result = w.take_matrix(n, b.columns);
  const block<T> t = w.take_matrix(small + panel_columns, panel_columns);
  const panel_memory<T> memory(w, large, large + b.columns);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < rank; ++j) adjoint(i, j) = j <= i ? conjugate_of(qr(j, i)) : T(0);
  factor_qr(w, memory, adjoint, t);
  const block<T> solved = result.part(0, 0, rank, b.columns), rest = result.part(rank, 0, n - rank, b.columns);
  copy_block(right.part(0, 0, rank, b.columns), solved);
  solve_triangle(w, triangle<T>{adjoint.part(0, 0, rank, rank), false, true}, solved);
  for (std::int64_t i = 0; i < rest.rows; ++i) std::fill_n(rest.row(i), rest.columns, T(0));
  multiply_by_q<T>(w, memory, adjoint, t, result);
  for (std::int64_t i = 0; i < n; ++i) std::copy_n(result.row(i), b.columns, x.row(order[i]));
}

template <class T>
void least_squares_form::operator()(cpu ctx, view<const T> a, view<const T> b, view<const double> l2, view<T> x) const {
  if (l2[0] < 0) return ctx.fail("l2_regularizer must be >= 0.");
  if (x.size() == 0) return;
  if (a.size() == 0) return void(std::fill_n(x.data(), x.size(), T(0)));
  std::atomic<bool> singular = false;
  for_each_matrix<T>(ctx, least_squares_batch(a.shape(), b.shape(), fast), [&](std::int64_t i, workshop<T> w) {
    const block<T> result = matrix_of(x, i);
    if (!fast) solve_orthogonally<T>(w, matrix_of(a, i), matrix_of(b, i), result);
    else if (!solve_normal_equations<T>(w, matrix_of(a, i), matrix_of(b, i), static_cast<real_of<T>>(l2[0]), result))
      singular.store(true, std::memory_order_relaxed);
  });
  if (singular)
    ctx.fail(
        error_code::invalid_argument,
        "Input matrix was rank deficient or ill-conditioned. Try setting fast=False or provide a larger l2_regularizer > 0.");
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
