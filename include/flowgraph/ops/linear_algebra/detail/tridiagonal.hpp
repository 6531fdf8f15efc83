#pragma once

#include <flowgraph/ops/linear_algebra/detail/blocks.hpp>
#include <flowgraph/ops/linear_algebra/detail/reflectors.hpp>
#include <flowgraph/ops/linear_algebra/tridiagonal.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape tridiagonal_matmul_shape(shape_context& c, const shape& above, const shape& main,
                                                                      const shape& below, const shape& x) {
  shape result = x;
  if (!has_matrices(c, x)) return shape::unknown();
  for (const shape& diagonal : {above, main, below}) {
    if (!has_matrices(c, diagonal)) return shape::unknown();
    if (!diagonal.has_rank() || !result.has_rank()) continue;
    if (!fits(batch_of(diagonal), batch_of(result))) return c.fail("the axes before the matrices differ");
    if (diagonal[-2] >= 0 && diagonal[-2] != 1) return c.fail("expected diagonals of one row");
    if (diagonal[-1] >= 0 && result[-2] >= 0 && diagonal[-1] != result[-2])
      return c.fail("expected diagonals with one element for each row");
    result = with_axes(merged(batch_of(diagonal), batch_of(result)), {result[-2] < 0 ? diagonal[-1] : result[-2], result[-1]});
  }
  return result;
}

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE shape tridiagonal_solve_shape(shape_context& c, const shape& diagonals, const shape& b) {
  if (!has_matrices(c, diagonals) || !has_matrices(c, b)) return shape::unknown();
  if (!diagonals.has_rank() || !b.has_rank()) return shape::unknown();
  if (!fits(batch_of(diagonals), batch_of(b))) return c.fail("the axes before the matrices differ");
  if (diagonals[-2] >= 0 && diagonals[-2] != 3) return c.fail("expected three diagonals");
  if (diagonals[-1] >= 0 && b[-2] >= 0 && diagonals[-1] != b[-2]) return c.fail("the matrices have different numbers of rows");
  return with_axes(merged(batch_of(diagonals), batch_of(b)), {b[-2] < 0 ? diagonals[-1] : b[-2], b[-1]});
}

inline matrix_batch tridiagonal_batch(const shape& x) {
  return {matrices_in(x), std::min<std::int64_t>(matrix_batch::shared_work - 1, 10 * x[-1]), 3 * x[-1]};
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t tridiagonal_solve_scratch(const shape& diagonals) {
  return tridiagonal_batch(diagonals).scratch();
}

// The upper triangular matrix of an elimination with exchanged rows: its diagonal, and the two diagonals above that.
template <class T> struct tridiagonal_factors {
  T *diagonal, *first, *second;
  std::int64_t n;
};

// Divides a row of x by the element of the diagonal, after the rows below it were subtracted.
template <class T> void subtract_solved(const tridiagonal_factors<T>& u, block<T> x, std::int64_t i) {
  if (i + 1 < u.n) subtract_multiple(x.row(i), u.first[i], x.row(i + 1), x.columns);
  if (i + 2 < u.n) subtract_multiple(x.row(i), u.second[i], x.row(i + 2), x.columns);
}
template <class T> void divide_row(block<T> x, std::int64_t i, const T& divisor) {
  for (std::int64_t j = 0; j < x.columns; ++j) x(i, j) /= divisor;
}

// Solves without exchanged rows. Returns false if a pivot is zero.
template <class T> bool solve_in_order(block<const T> d, block<T> x, T* factors) {
  const std::int64_t n = d.columns;
  for (std::int64_t i = 0; i < n; ++i) {
    T pivot = d(1, i);
    if (i > 0) {
      pivot -= times(d(2, i), factors[i - 1]);
      subtract_multiple(x.row(i), d(2, i), x.row(i - 1), x.columns);
    }
    if (pivot == T(0)) return false;
    factors[i] = d(0, i) / pivot;
    divide_row(x, i, pivot);
  }
  for (std::int64_t i = n - 2; i >= 0; --i) subtract_multiple(x.row(i), factors[i], x.row(i + 1), x.columns);
  return true;
}

// Subtracts a multiple of row i from row i + 1, after the rows were exchanged if `exchange`. Row i of u is finished then.
template <class T>
void eliminate_row(const tridiagonal_factors<T>& u, block<const T> d, block<T> x, std::int64_t i, bool exchange) {
  const T next = i + 2 < u.n ? d(0, i + 1) : T(0);
  if (!exchange) {
    const T factor = d(2, i + 1) / u.diagonal[i];
    u.diagonal[i + 1] = d(1, i + 1) - times(factor, u.first[i]);
    u.first[i + 1] = next;
    u.second[i] = T(0);
    subtract_multiple(x.row(i + 1), factor, x.row(i), x.columns);
    return;
  }
  const T factor = u.diagonal[i] / d(2, i + 1);
  u.diagonal[i] = d(2, i + 1);
  u.diagonal[i + 1] = u.first[i] - times(factor, d(1, i + 1));
  u.first[i] = d(1, i + 1);
  u.second[i] = next;
  u.first[i + 1] = -times(factor, next);
  swap_rows(x, i, i + 1);
  subtract_multiple(x.row(i + 1), factor, x.row(i), x.columns);
}

// Solves with the larger of two elements as the pivot. Returns false if a pivot is zero.
template <class T> bool solve_with_pivots(const tridiagonal_factors<T>& u, block<const T> d, block<T> x) {
  u.diagonal[0] = d(1, 0);
  u.first[0] = u.n > 1 ? d(0, 0) : T(0);
  for (std::int64_t i = 0; i + 1 < u.n; ++i) {
    const bool exchange = !(std::abs(u.diagonal[i]) >= std::abs(d(2, i + 1)));
    if (!exchange && u.diagonal[i] == T(0)) return false;
    eliminate_row(u, d, x, i, exchange);
  }
  if (u.diagonal[u.n - 1] == T(0)) return false;
  for (std::int64_t i = u.n - 1; i >= 0; --i) {
    subtract_solved(u, x, i);
    divide_row(x, i, u.diagonal[i]);
  }
  return true;
}

// Returns the pivot, enlarged until the quotients of the row do not overflow. `least` is the first number to add.
template <class T> T enlarged_pivot(T pivot, real_of<T> least, const T* row, std::int64_t columns) {
  using R = real_of<T>;
  constexpr R tiny = std::numeric_limits<R>::min();
  R largest = 0;
  for (std::int64_t j = 0; j < columns; ++j) largest = std::max(largest, std::abs(row[j]));
  R step = std::real(pivot) < 0 ? -least : least;
  for (R size = std::abs(pivot); size < 1; size = std::abs(pivot)) {
    if (size < tiny ? size != 0 && !(largest * tiny > size) : !(largest > size / tiny)) break;
    pivot += step;
    step *= 2;
  }
  return pivot;
}

// Solves with pivots that are compared relative to their rows; pivots that are zero are enlarged.
template <class T> void solve_perturbed(const tridiagonal_factors<T>& u, block<const T> d, block<T> x) {
  using R = real_of<T>;
  using limits = std::numeric_limits<R>;
  const std::int64_t n = u.n;
  u.diagonal[0] = d(1, 0);
  u.first[0] = n > 1 ? d(0, 0) : T(0);
  R scale = std::abs(u.diagonal[0]) + std::abs(u.first[0]);
  for (std::int64_t i = 0; i + 1 < n; ++i) {
    const R below = std::abs(d(2, i + 1)), next = i + 2 < n ? std::abs(d(0, i + 1)) : R(0);
    const R scale_below = below + std::abs(d(1, i + 1)) + next;
    if (below == 0) {
      u.diagonal[i + 1] = d(1, i + 1);
      u.first[i + 1] = i + 2 < n ? d(0, i + 1) : T(0);
      u.second[i] = T(0);
      scale = scale_below;
      continue;
    }
    const R pivot = u.diagonal[i] == T(0) ? R(0) : std::abs(u.diagonal[i]) / scale;
    const bool exchange = !(below / scale_below <= pivot);
    eliminate_row(u, d, x, i, exchange);
    if (!exchange) scale = scale_below;
  }
  R largest = 0;
  for (std::int64_t i = 0; i < n; ++i)
    largest = std::max(
        {largest, std::abs(u.diagonal[i]), i + 1 < n ? std::abs(u.first[i]) : R(0), i + 2 < n ? std::abs(u.second[i]) : R(0)});
  const R least = std::max(largest * limits::epsilon(), limits::min());
  for (std::int64_t i = n - 1; i >= 0; --i) {
    subtract_solved(u, x, i);
    divide_row(x, i, enlarged_pivot(u.diagonal[i], least, x.row(i), x.columns));
  }
}

// The solution of a system with a pivot of zero. TensorFlow's complex solutions are zero.
template <class T> inline constexpr T unsolved = is_complex<T> ? T(0) : T(std::numeric_limits<real_of<T>>::quiet_NaN());

}  // namespace detail

template <class T>
void tridiagonal_matmul_op::operator()(cpu ctx, view<const T> above, view<const T> main, view<const T> below, view<const T> x,
                                       view<T> y) const {
  using namespace detail;
  if (y.size() == 0) return;
  const std::int64_t n = x.shape()[-2], columns = x.shape()[-1], rows = matrices_in(x.shape()) * n;
  ctx.parallel_ranges(rows, std::max<std::int64_t>(1, 4096 / columns), [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
      const std::int64_t i = r % n;
      T* const to = y.data() + r * columns;
      const T* const from = x.data() + r * columns;
      for (std::int64_t j = 0; j < columns; ++j) to[j] = times(main.data()[r], from[j]);
      if (i + 1 < n) add_multiple(to, above.data()[r], from + columns, columns);
      if (i > 0) add_multiple(to, below.data()[r], from - columns, columns);
    }
  });
}

template <class T> void tridiagonal_solve_op::operator()(cpu ctx, view<const T> diagonals, view<const T> b, view<T> x) const {
  using namespace detail;
  if (perturb_singular && !partial_pivoting) return ctx.fail("Setting perturb_singular requires also setting partial_pivoting.");
  if (x.size() == 0) return;
  const std::int64_t n = diagonals.shape()[-1];
  for_each_matrix<T>(ctx, tridiagonal_batch(diagonals.shape()), [&](std::int64_t i, workshop<T> w) {
    const block<T> result = matrix_of(x, i);
    const block<const T> d = matrix_of(diagonals, i);
    const tridiagonal_factors<T> u{w.template take<T>(n), w.template take<T>(n), w.template take<T>(n), n};
    copy_block(matrix_of(b, i), result);
    if (perturb_singular) return solve_perturbed(u, d, result);
    const bool solved = partial_pivoting ? solve_with_pivots(u, d, result) : solve_in_order(d, result, u.diagonal);
    if (solved) return;
    std::fill_n(result.at, result.rows * result.columns, unsolved<T>);
  });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
