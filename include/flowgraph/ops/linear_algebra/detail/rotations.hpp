#pragma once
// The iterations that make tridiagonal and bidiagonal matrices diagonal, by plane rotations. Vectors are the rows of matrices, so
// that a rotation passes through contiguous memory.

#include <flowgraph/ops/linear_algebra/detail/reflectors.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// A plane rotation that turns (x, y) into (length, 0).
template <class R> struct rotation {
  R c = 1, s = 0, length = 0;
  rotation(R x, R y) : length(std::hypot(x, y)) {
    if (length == 0) return;
    c = x / length;
    s = y / length;
  }
  // Rotates two rows: (a, b) becomes (c a + s b, c b - s a).
  template <class T> void apply(block<T> rows, std::int64_t a, std::int64_t b) const {
    T *first = rows.row(a), *second = rows.row(b);
    for (std::int64_t j = 0; j < rows.columns; ++j) {
      const T x = first[j], y = second[j];
      first[j] = x * c + y * s;
      second[j] = y * c - x * s;
    }
  }
};

// Replaces the diagonal d of a symmetric tridiagonal matrix by its eigenvalues; `e` is the diagonal beside it. Multiplies the
// rows of `vectors` by the rotations. Returns false if the iteration does not converge, as with NaN.
template <class R, class T> bool diagonalize_tridiagonal(R* d, R* e, std::int64_t n, block<T> vectors) {
  constexpr R precision = std::numeric_limits<R>::epsilon(), least = std::numeric_limits<R>::min();
  const auto negligible = [&](std::int64_t i) {
    return std::abs(e[i]) <= precision * (std::abs(d[i]) + std::abs(d[i + 1])) + least;
  };
  std::int64_t left = 60 * n;
  for (std::int64_t end = n - 1; end > 0;) {
    if (negligible(end - 1)) {
      e[--end] = 0;
      continue;
    }
    if (left-- == 0) return false;
    std::int64_t begin = end - 1;
    while (begin > 0 && !negligible(begin - 1)) --begin;
    // The shift is the eigenvalue of the last 2 x 2 block that is nearest to its last element.
    const R half_gap = (d[end - 1] - d[end]) / 2, root = std::hypot(half_gap, e[end - 1]);
    const R shift = d[end] - e[end - 1] * (e[end - 1] / (half_gap + (half_gap < 0 ? -root : root)));
    R x = d[begin] - shift, y = e[begin];
    for (std::int64_t k = begin; k < end; ++k) {
      const rotation<R> r(x, y);
      if (k > begin) e[k - 1] = r.length;
      const R a = d[k], b = e[k], c = d[k + 1];
      d[k] = r.c * (r.c * a + r.s * b) + r.s * (r.c * b + r.s * c);
      d[k + 1] = r.s * (r.s * a - r.c * b) + r.c * (r.c * c - r.s * b);
      e[k] = r.c * (r.c * b - r.s * a) + r.s * (r.c * c - r.s * b);
      x = e[k];
      if (k + 1 < end) {
        y = r.s * e[k + 1];
        e[k + 1] *= r.c;
      }
      r.apply(vectors, k, k + 1);
    }
  }
  return true;
}

// The singular values of an upper bidiagonal matrix with the diagonal d, and e above it, by the iteration of Golub and Kahan.
template <class R, class T> class bidiagonal_iteration {
public:
  // The rows of `left` and `right` are the singular vectors; they may have no columns.
  bidiagonal_iteration(R* d, R* e, std::int64_t n, block<T> left, block<T> right)
      : d_(d), e_(e), n_(n), left_(left), right_(right) {}

  bool run() {
    std::int64_t steps = 60 * n_;
    for (std::int64_t end = n_ - 1; end >= 0;) {
      std::int64_t begin = end;
      while (begin > 0 && !is_negligible(begin - 1)) --begin;
      if (begin > 0) e_[begin - 1] = 0;
      if (begin == end) {
        make_positive(end--);
        continue;
      }
      if (steps-- == 0) return false;
      const std::int64_t zero = negligible_value(begin, end);
      if (zero == end) clear_column(begin, end);
      else if (zero >= begin) clear_row(zero, end);
      else step(begin, end);
    }
    return true;
  }

private:
  static constexpr R precision = std::numeric_limits<R>::epsilon(), least = std::numeric_limits<R>::min();

  bool is_negligible(std::int64_t i) const {
    return std::abs(e_[i]) <= precision * (std::abs(d_[i]) + std::abs(d_[i + 1])) + least;
  }
  std::int64_t negligible_value(std::int64_t begin, std::int64_t end) const {
    for (std::int64_t i = end; i >= begin; --i) {
      const R beside = (i < end ? std::abs(e_[i]) : R(0)) + (i > begin ? std::abs(e_[i - 1]) : R(0));
      if (std::abs(d_[i]) <= precision * beside + least) return i;
    }
    return -1;
  }
  void make_positive(std::int64_t i) {
    if (d_[i] >= 0) return;
    d_[i] = -d_[i];
    for (std::int64_t j = 0; j < right_.columns; ++j) right_(i, j) = -right_(i, j);
  }
  // d[end] is 0: rotates the element above it out of the matrix.
  void clear_column(std::int64_t begin, std::int64_t end) {
    d_[end] = 0;
    R moving = e_[end - 1];
    e_[end - 1] = 0;
    for (std::int64_t j = end - 1; j >= begin; --j) {
      const rotation<R> r(d_[j], moving);
      d_[j] = r.length;
      if (j > begin) {
        moving = -r.s * e_[j - 1];
        e_[j - 1] *= r.c;
      }
      r.apply(right_, j, end);
    }
  }
  // d[zero] is 0: rotates the element beside it out of the matrix.
  void clear_row(std::int64_t zero, std::int64_t end) {
    d_[zero] = 0;
    R moving = e_[zero];
    e_[zero] = 0;
    for (std::int64_t j = zero + 1; j <= end; ++j) {
      const rotation<R> r(d_[j], moving);
      d_[j] = r.length;
      if (j < end) {
        moving = -r.s * e_[j];
        e_[j] *= r.c;
      }
      r.apply(left_, j, zero);
    }
  }
  void step(std::int64_t begin, std::int64_t end) {
    const R scale =
        std::max({std::abs(d_[end]), std::abs(d_[end - 1]), std::abs(e_[end - 1]), std::abs(d_[begin]), std::abs(e_[begin])});
    const R last = d_[end] / scale, before = d_[end - 1] / scale, beside = e_[end - 1] / scale, first = d_[begin] / scale;
    const R b = ((before + last) * (before - last) + beside * beside) / 2, c = last * beside * (last * beside);
    R shift = 0;
    if (b != 0 || c != 0) {
      const R root = std::sqrt(b * b + c);
      shift = c / (b + (b < 0 ? -root : root));
    }
    R x = (first + last) * (first - last) + shift, y = first * (e_[begin] / scale);
    for (std::int64_t j = begin; j < end; ++j) {
      const rotation<R> columns(x, y);
      if (j > begin) e_[j - 1] = columns.length;
      x = columns.c * d_[j] + columns.s * e_[j];
      e_[j] = columns.c * e_[j] - columns.s * d_[j];
      y = columns.s * d_[j + 1];
      d_[j + 1] *= columns.c;
      columns.apply(right_, j, j + 1);
      const rotation<R> rows(x, y);
      d_[j] = rows.length;
      x = rows.c * e_[j] + rows.s * d_[j + 1];
      d_[j + 1] = rows.c * d_[j + 1] - rows.s * e_[j];
      if (j + 1 < end) {
        y = rows.s * e_[j + 1];
        e_[j + 1] *= rows.c;
      }
      rows.apply(left_, j, j + 1);
    }
    e_[end - 1] = x;
  }

  R *d_, *e_;
  std::int64_t n_;
  block<T> left_, right_;
};

template <class T> bool is_finite(block<const T> a) {
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.columns; ++j)
      if (!std::isfinite(std::real(a(i, j))) || !std::isfinite(std::imag(a(i, j)))) return false;
  return true;
}
// Returns the largest absolute value; 1 if all are 0.
template <class T> real_of<T> scale_of(block<const T> a) {
  real_of<T> largest = 0;
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (std::int64_t j = 0; j < a.columns; ++j) largest = std::max(largest, std::abs(a(i, j)));
  return largest == 0 ? 1 : largest;
}

}  // namespace flowgraph::detail

#include <flowgraph/show_names.hpp>
