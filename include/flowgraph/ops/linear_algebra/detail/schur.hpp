#pragma once
// The Schur decomposition a = q t q^H by Hessenberg matrices and shifted QR steps. t is upper triangular; that of a real matrix
// has blocks of two rows on its diagonal for pairs of complex eigenvalues.

#include <flowgraph/ops/linear_algebra/detail/rotations.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class R> R size_of(const R& x) { return std::abs(x); }
template <class R> R size_of(const std::complex<R>& x) { return std::abs(x.real()) + std::abs(x.imag()); }

// Replaces x by x h^H, for the reflection h whose vector is the first column of `column`.
template <class T> void apply_from_right(const reflection<T>& h, block<const T> column, block<T> x) {
  const T factor = conjugate_of(h.factor);
  for (std::int64_t i = 0; i < x.rows; ++i) {
    T dot = x(i, 0);
    for (std::int64_t j = 1; j < x.columns; ++j) dot += times(x(i, j), column(j, 0));
    dot = times(factor, dot);
    x(i, 0) -= dot;
    for (std::int64_t j = 1; j < x.columns; ++j) x(i, j) -= times(dot, conjugate_of(column(j, 0)));
  }
}

// Replaces a by the h of a = q h q^H, which is zero below the first diagonal under the main diagonal.
template <class T> void make_hessenberg(block<T> a, block<T> q, T* sums) {
  const std::int64_t n = a.rows;
  set_identity(q);
  for (std::int64_t k = 0; k + 2 < n; ++k) {
    const std::int64_t rest = n - k - 1;
    const block<T> column = a.part(k + 1, k, rest, 1);
    const auto h = reflection<T>::of_column(column);
    h.apply(column, a.part(k + 1, k + 1, rest, rest), sums);
    apply_from_right<T>(h, column, a.part(0, k + 1, n, rest));
    apply_from_right<T>(h, column, q.part(0, k + 1, n, rest));
    a(k + 1, k) = h.length;
    for (std::int64_t i = 1; i < rest; ++i) column(i, 0) = T(0);
  }
}

// A plane rotation of complex numbers that turns (x, y) into (r, 0); c is real.
template <class C> struct complex_rotation {
  using R = real_of<C>;
  R c = 1;
  C s = 0;

  complex_rotation(const C& x, const C& y) {
    const R first = std::abs(x), length = std::hypot(first, std::abs(y));
    if (length == 0) return;
    c = first / length;
    s = (first == 0 ? C(1) : x / first) * std::conj(y) / length;
  }
  void rotate_rows(block<C> a, std::int64_t i, std::int64_t first, std::int64_t last) const {
    for (std::int64_t j = first; j < last; ++j) {
      const C x = a(i, j), y = a(i + 1, j);
      a(i, j) = c * x + times(s, y);
      a(i + 1, j) = c * y - times(std::conj(s), x);
    }
  }
  void rotate_columns(block<C> a, std::int64_t j, std::int64_t rows) const {
    for (std::int64_t i = 0; i < rows; ++i) {
      const C x = a(i, j), y = a(i, j + 1);
      a(i, j) = c * x + times(std::conj(s), y);
      a(i, j + 1) = c * y - times(s, x);
    }
  }
};

// Returns true if the element below the diagonal, left of element k of the diagonal, is so small that the matrix decouples there.
template <class T> bool decouples(block<const T> a, std::int64_t k) {
  using limits = std::numeric_limits<real_of<T>>;
  const real_of<T> beside = size_of(a(k - 1, k - 1)) + size_of(a(k, k));
  return size_of(a(k, k - 1)) <= std::max(limits::epsilon() * beside, limits::min());
}

// Returns the first row of the active part of an iteration, which ends with row `last`. Sets the small element before it to zero.
template <class T> std::int64_t first_active(block<T> a, std::int64_t last) {
  std::int64_t first = last;
  while (first > 0 && !decouples<T>(a, first)) --first;
  if (first > 0) a(first, first - 1) = T(0);
  return first;
}

inline constexpr std::int64_t most_steps_per_row = 40;

// Returns the shift of a step: the eigenvalue of the last block of two rows that is nearest to its last element. Every tenth step
// without success takes another number, so that the steps cannot repeat.
template <class C> C shift_of(block<const C> a, std::int64_t last, std::int64_t step) {
  const std::int64_t k = last - 1;
  if (step % 10 == 0) return C(size_of(a(last, k)) + (k > 0 ? size_of(a(k, k - 1)) : 0));
  const C half = (a(k, k) - a(last, last)) / real_of<C>(2), product = times(a(k, last), a(last, k));
  C root = std::sqrt(times(half, half) + product);
  if (std::real(std::conj(half) * root) < 0) root = -root;
  const C sum = half + root;
  return sum == C(0) ? a(last, last) : a(last, last) - product / sum;
}

// Replaces the Hessenberg matrix a by the triangular t. Returns false if the iteration does not converge, as with NaN.
template <class C> bool triangularize_complex(block<C> a, block<C> q) {
  const std::int64_t n = a.rows;
  std::int64_t left = most_steps_per_row * n, step = 0;
  for (std::int64_t last = n - 1; last > 0;) {
    const std::int64_t first = first_active(a, last);
    if (first == last) {
      --last;
      step = 0;
      continue;
    }
    if (left-- == 0) return false;
    const C shift = shift_of<C>(a, last, ++step);
    for (std::int64_t k = first; k < last; ++k) {
      const complex_rotation<C> r =
          k == first ? complex_rotation<C>(a(k, k) - shift, a(k + 1, k)) : complex_rotation<C>(a(k, k - 1), a(k + 1, k - 1));
      r.rotate_rows(a, k, k == first ? k : k - 1, n);
      if (k > first) a(k + 1, k - 1) = C(0);
      r.rotate_columns(a, k, std::min(k + 3, last + 1));
      r.rotate_columns(q, k, n);
    }
  }
  return true;
}

// Makes a block of two rows triangular if its eigenvalues are real.
template <class R> void split_pair(block<R> a, block<R> q, std::int64_t k) {
  const std::int64_t n = a.rows;
  const R half = (a(k, k) - a(k + 1, k + 1)) / 2, square = half * half + a(k, k + 1) * a(k + 1, k);
  if (!(square >= 0)) return;
  const R root = std::sqrt(square), x = half >= 0 ? half + root : half - root, length = std::hypot(x, a(k + 1, k));
  const R c = x / length, s = a(k + 1, k) / length;
  for (std::int64_t j = 0; j < n; ++j) {
    const R upper = a(k, j), lower = a(k + 1, j);
    a(k, j) = c * upper + s * lower;
    a(k + 1, j) = c * lower - s * upper;
  }
  for (const block<R>& m : {a, q})
    for (std::int64_t i = 0; i < n; ++i) {
      const R former = m(i, k), latter = m(i, k + 1);
      m(i, k) = c * former + s * latter;
      m(i, k + 1) = c * latter - s * former;
    }
  a(k + 1, k) = 0;
}

// Takes one step with two shifts at once, which are the eigenvalues of the last block of two rows.
template <class R> void double_step(block<R> a, block<R> q, std::int64_t first, std::int64_t last, std::int64_t step, R* sums) {
  const std::int64_t n = a.rows, k = last - 1;
  R sum = a(k, k) + a(last, last), product = a(k, k) * a(last, last) - a(k, last) * a(last, k);
  if (step % 10 == 0) {
    const R size = std::abs(a(last, k)) + std::abs(a(k, k - 1));
    sum = size * R(1.5);
    product = size * size;
  }
  const R corner = a(first, first), below = a(first + 1, first), diagonal = a(first + 1, first + 1);
  R column[3] = {corner * corner + a(first, first + 1) * below - sum * corner + product, below * (corner + diagonal - sum),
                 below * a(first + 2, first + 1)};
  for (std::int64_t i = first; i < last; ++i) {
    const std::int64_t rows = std::min<std::int64_t>(3, last - i + 1);
    if (i > first)
      for (std::int64_t r = 0; r < rows; ++r) column[r] = a(i + r, i - 1);
    const block<R> v(column, rows, 1);
    const auto h = reflection<R>::of_column(v);
    if (i > first)
      for (std::int64_t r = 0; r < rows; ++r) a(i + r, i - 1) = r == 0 ? h.length : R(0);
    h.apply(v, a.part(i, i, rows, n - i), sums);
    apply_from_right<R>(h, v, a.part(0, i, std::min(i + 4, last + 1), rows));
    apply_from_right<R>(h, v, q.part(0, i, n, rows));
  }
}

// Replaces the real Hessenberg matrix a by t. Returns false if the iteration does not converge, as with NaN.
template <class R> bool triangularize_real(block<R> a, block<R> q, R* sums) {
  std::int64_t left = most_steps_per_row * a.rows, step = 0;
  for (std::int64_t last = a.rows - 1; last > 0;) {
    const std::int64_t first = first_active(a, last);
    if (last - first > 1) {
      if (left-- == 0) return false;
      double_step(a, q, first, last, ++step, sums);
      continue;
    }
    if (first < last) split_pair(a, q, first);
    last = first - 1;
    step = 0;
  }
  return true;
}

template <class T> void scale_block(block<T> a, real_of<T> factor) {
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.columns; ++j) a(i, j) *= factor;
}

// Replaces a by t, and sets q. `sums` has an element for each row. Returns false if the iteration does not converge, as with NaN.
template <class T> bool decompose_schur(block<T> a, block<T> q, T* sums) {
  // A power of two does not round. It keeps the squares of small and of large elements in the range of the type.
  const real_of<T> largest = scale_of<T>(a);
  const int exponent = std::isfinite(largest) ? std::ilogb(largest) : 0;
  scale_block(a, std::scalbn(real_of<T>(1), -exponent));
  make_hessenberg(a, q, sums);
  bool done;
  if constexpr (is_complex<T>) done = triangularize_complex(a, q);
  else done = triangularize_real(a, q, sums);
  scale_block(a, std::scalbn(real_of<T>(1), exponent));
  return done;
}

// Returns true if rows k and k + 1 of the t of a real matrix are a block for a pair of complex eigenvalues.
template <class R> bool is_pair(block<const R> t, std::int64_t k) { return k + 1 < t.rows && t(k + 1, k) != 0; }
template <class R> bool has_pairs(block<const R> t) {
  for (std::int64_t k = 0; k < t.rows; ++k)
    if (is_pair<R>(t, k)) return true;
  return false;
}

// Returns the eigenvalue of a pair that has a positive imaginary part.
template <class R> std::complex<R> value_of_pair(block<const R> t, std::int64_t k) {
  const R half = (t(k, k) - t(k + 1, k + 1)) / 2, product = t(k, k + 1) * t(k + 1, k);
  return {t(k + 1, k + 1) + half, std::sqrt(std::abs(half * half + product))};
}

// Copies the decomposition of a real matrix, and makes its pairs triangular by complex rotations.
template <class R>
void complete_schur(block<const R> t, block<const R> q, block<std::complex<R>> upper, block<std::complex<R>> vectors) {
  using C = std::complex<R>;
  copy_block(t, upper);
  copy_block(q, vectors);
  for (std::int64_t k = 0; k + 1 < t.rows; ++k) {
    if (!is_pair<R>(t, k)) continue;
    const C value = value_of_pair<R>(t, k);
    const complex_rotation<C> r(value - t(k + 1, k + 1), t(k + 1, k));
    r.rotate_rows(upper, k, k, t.rows);
    r.rotate_columns(upper, k, k + 2);
    r.rotate_columns(vectors, k, t.rows);
    upper(k, k) = value;
    upper(k + 1, k + 1) = std::conj(value);
    upper(k + 1, k) = C(0);
    ++k;
  }
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
