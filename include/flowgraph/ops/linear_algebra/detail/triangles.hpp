#pragma once
// Triangular solves and the triangular decompositions, in halves: most of their work is products.

#include <flowgraph/ops/linear_algebra/detail/blocks.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

inline constexpr std::int64_t smallest_block = 16;  // blocks of this size are processed row by row

// Returns the first half of n rows or columns: a multiple of the smallest block, and never less than the rest.
inline std::int64_t first_half(std::int64_t n) { return ((n + 1) / 2 + smallest_block - 1) / smallest_block * smallest_block; }

template <class T> void subtract_multiple(T* to, const T& factor, const T* from, std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) to[j] -= times(factor, from[j]);
}

// A triangle of a matrix as the left side of equations.
template <class T> struct triangle {
  block<const T> a;
  bool lower;            // the triangle in memory; the rest of `a` is not read
  bool adjoint = false;  // the equations have the adjoint of the triangle
  bool unit = false;     // the diagonal counts as 1

  bool forward() const { return lower != adjoint; }
  triangle part(std::int64_t first, std::int64_t n) const { return {a.part(first, first, n, n), lower, adjoint, unit}; }
  T operator()(std::int64_t i, std::int64_t j) const { return adjoint ? conjugate_of(a(j, i)) : a(i, j); }
};

template <class T> void solve_small(const triangle<T>& t, block<T> b) {
  const std::int64_t n = b.rows;
  for (std::int64_t s = 0; s < n; ++s) {
    const std::int64_t i = t.forward() ? s : n - 1 - s;
    for (std::int64_t r = 0; r < s; ++r) {
      const std::int64_t k = t.forward() ? r : n - 1 - r;
      subtract_multiple(b.row(i), t(i, k), b.row(k), b.columns);
    }
    if (t.unit) continue;
    const T diagonal = t(i, i);
    for (std::int64_t j = 0; j < b.columns; ++j) b(i, j) /= diagonal;
  }
}

// Replaces b by the solution x of op(a) x = b.
template <class T> void solve_triangle(const workshop<T>& w, const triangle<T>& t, block<T> b) {
  const std::int64_t n = b.rows;
  if (n <= smallest_block || b.columns == 0) return solve_small(t, b);
  const std::int64_t h = first_half(n), rest = n - h;
  const block<T> upper = b.part(0, 0, h, b.columns), lower = b.part(h, 0, rest, b.columns);
  const block<const T> off = t.lower ? t.a.part(h, 0, rest, h) : t.a.part(0, h, h, rest);
  if (t.forward()) {
    solve_triangle(w, t.part(0, h), upper);
    multiply(w, lower, off, t.adjoint, upper, false, product_mode::subtract);
    solve_triangle(w, t.part(h, rest), lower);
  } else {
    solve_triangle(w, t.part(h, rest), lower);
    multiply(w, upper, off, t.adjoint, lower, false, product_mode::subtract);
    solve_triangle(w, t.part(0, h), upper);
  }
}

// Replaces the upper triangle of a positive definite matrix by the u of a = u^H u. Returns false if the matrix is not positive
// definite. A NaN passes through, as in TensorFlow.
template <class T> bool factor_positive(const workshop<T>& w, block<T> a) {
  const std::int64_t n = a.rows;
  if (n <= smallest_block) {
    for (std::int64_t k = 0; k < n; ++k) {
      const real_of<T> square = std::real(a(k, k));
      if (square <= 0) return false;
      const real_of<T> root = std::sqrt(square);
      a(k, k) = root;
      for (std::int64_t j = k + 1; j < n; ++j) a(k, j) /= root;
      for (std::int64_t i = k + 1; i < n; ++i) subtract_multiple(a.row(i) + i, conjugate_of(a(k, i)), a.row(k) + i, n - i);
    }
    return true;
  }
  const std::int64_t h = first_half(n), rest = n - h;
  const block<T> corner = a.part(0, 0, h, h), side = a.part(0, h, h, rest), remaining = a.part(h, h, rest, rest);
  if (!factor_positive(w, corner)) return false;
  solve_triangle(w, triangle<T>{corner, false, true}, side);
  multiply(w, remaining, side, true, side, false, product_mode::subtract);
  return factor_positive(w, remaining);
}

template <class T> void swap_rows(block<T> a, std::int64_t i, std::int64_t k) {
  if (i != k) std::swap_ranges(a.row(i), a.row(i) + a.columns, a.row(k));
}

// Eliminates one column of a panel: finds the pivot, swaps its row into place and divides the column by it.
template <class T> void eliminate_column(block<T> a, std::int64_t k, std::int64_t* pivots) {
  std::int64_t best = k;
  real_of<T> largest = std::abs(a(k, k));
  for (std::int64_t i = k + 1; i < a.rows; ++i) {
    const real_of<T> size = std::abs(a(i, k));
    if (size > largest) largest = size, best = i;
  }
  pivots[k] = best;
  swap_rows(a, k, best);
  if (largest == 0) return;
  for (std::int64_t i = k + 1; i < a.rows; ++i) {
    a(i, k) /= a(k, k);
    subtract_multiple(a.row(i) + k + 1, a(i, k), a.row(k) + k + 1, a.columns - k - 1);
  }
}

// Replaces a by the l and u of p a = l u, where l has a unit diagonal. Row k was swapped with row pivots[k], in the order of k.
template <class T> void factor_lu(const workshop<T>& w, block<T> a, std::int64_t* pivots) {
  const std::int64_t n = a.columns;
  if (n <= smallest_block) {
    for (std::int64_t k = 0; k < std::min(n, a.rows); ++k) eliminate_column(a, k, pivots);
    return;
  }
  const std::int64_t h = first_half(n), rest = n - h;
  factor_lu(w, a.part(0, 0, a.rows, h), pivots);
  const block<T> right = a.part(0, h, a.rows, rest);
  for (std::int64_t k = 0; k < h; ++k) swap_rows(right, k, pivots[k]);
  const block<T> top = right.part(0, 0, h, rest), remaining = right.part(h, 0, a.rows - h, rest);
  solve_triangle(w, triangle<T>{a.part(0, 0, h, h), true, false, true}, top);
  multiply(w, remaining, a.part(h, 0, a.rows - h, h), false, top, false, product_mode::subtract);
  factor_lu(w, remaining, pivots + h);
  const block<T> below = a.part(h, 0, a.rows - h, h);
  for (std::int64_t k = 0; k < rest; ++k) {
    swap_rows(below, k, pivots[h + k]);
    pivots[h + k] += h;
  }
}

// Replaces b by the solution x of a x = b, where factor_lu has decomposed a.
template <class T> void solve_lu(const workshop<T>& w, block<const T> lu, const std::int64_t* pivots, block<T> b) {
  for (std::int64_t k = 0; k < lu.rows; ++k) swap_rows(b, k, pivots[k]);
  solve_triangle(w, triangle<T>{lu, true, false, true}, b);
  solve_triangle(w, triangle<T>{lu, false}, b);
}

// Returns true if u has a zero on its diagonal. A NaN does not count, as in TensorFlow.
template <class T> bool is_singular(block<const T> lu) {
  for (std::int64_t k = 0; k < lu.rows; ++k)
    if (std::abs(lu(k, k)) == 0) return true;
  return false;
}

// Returns the size of the largest operand of a product in the functions above, for a matrix of n columns.
inline std::int64_t half_of(std::int64_t n) { return n <= smallest_block ? 0 : first_half(n); }

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
