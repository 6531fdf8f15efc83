#pragma once

#include <flowgraph/ops/linear_algebra/detail/schur.hpp>
#include <flowgraph/ops/linear_algebra/general_eigenvalues.hpp>

#include <algorithm>
#include <atomic>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline matrix_batch general_eigen_batch(const shape& x) {
  const std::int64_t n = x[-1];
  return {matrices_in(x), 25 * n * n * n, 4 * n * n + 2 * n};
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t general_eigen_scratch(const shape& x) {
  return general_eigen_batch(x).scratch();
}

// Returns a norm of t, from which the replacements of small divisors are computed.
template <class T> real_of<T> eigen_norm(block<const T> t) {
  real_of<T> sum = 0;
  for (std::int64_t i = 0; i < t.rows; ++i)
    for (std::int64_t j = i; j < t.columns; ++j) sum += is_complex<T> ? std::norm(t(i, j)) : std::abs(t(i, j));
  return is_complex<T> ? std::sqrt(sum) : sum;
}

// Solves for the eigenvector of element j of the diagonal of the triangular t, in the coordinates of t: x[j] is 1 before it is
// scaled.
template <class C> void solve_eigenvector(block<const C> t, std::int64_t j, real_of<C> norm, C* x) {
  using limits = std::numeric_limits<real_of<C>>;
  const real_of<C> small = std::max(limits::epsilon() * norm, limits::min()), large = 1 / limits::epsilon() / limits::epsilon();
  x[j] = C(1);
  for (std::int64_t i = j - 1; i >= 0; --i) {
    C sum = t(i, j) * x[j];
    for (std::int64_t k = i + 1; k < j; ++k) sum += times(t(i, k), x[k]);
    C divisor = t(i, i) - t(j, j);
    if (divisor == C(0)) divisor = small;
    x[i] = -sum / divisor;
    const real_of<C> size = std::abs(x[i]);
    if (!(size > large) || !std::isfinite(size)) continue;
    for (std::int64_t k = i; k <= j; ++k) x[k] /= size;
  }
}

// Multiplies q by the first j + 1 elements of x, and scales the result to length 1. If `is_real`, only the real part is kept.
template <class C> void put_eigenvector(block<const C> q, const C* x, std::int64_t j, bool is_real, block<C> vectors) {
  real_of<C> squares = 0;
  for (std::int64_t i = 0; i < q.rows; ++i) {
    C sum = C(0);
    for (std::int64_t k = 0; k <= j; ++k) sum += times(q(i, k), x[k]);
    if (is_real) sum = std::real(sum);
    vectors(i, j) = sum;
    squares += std::norm(sum);
  }
  const real_of<C> length = std::sqrt(squares);
  for (std::int64_t i = 0; i < q.rows; ++i) vectors(i, j) /= length;
}

// Finds the eigenvalues of x, and the eigenvectors as the columns of `vectors`, which may be empty. Returns false if the
// iteration does not converge, or if the eigenvalues of a real matrix are not finite.
template <class T, class C> bool find_general_eigenvalues(workshop<T>& w, block<const T> x, C* values, block<C> vectors) {
  const std::int64_t n = x.rows;
  const block<T> t = w.take_matrix(n, n), q = w.take_matrix(n, n);
  const block<C> upper(w.template take<C>(n * n), n, n), basis(w.template take<C>(n * n), n, n);
  T* const sums = w.template take<T>(n);
  C* const one = w.template take<C>(n);
  if (!is_complex<T> && std::isinf(scale_of(x))) return false;
  copy_block(x, t);
  if (!decompose_schur(t, q, sums)) return false;
  if constexpr (is_complex<T>) {
    copy_block(t, upper);
    copy_block(q, basis);
  } else {
    complete_schur<T>(t, q, upper, basis);
  }
  for (std::int64_t i = 0; i < n; ++i) {
    values[i] = upper(i, i);
    if (!is_complex<T> && !(std::isfinite(values[i].real()) && std::isfinite(values[i].imag()))) return false;
  }
  const real_of<T> norm = eigen_norm<T>(t);
  for (std::int64_t j = 0; j < vectors.rows; ++j) {
    bool pair = false;
    if constexpr (!is_complex<T>) pair = is_pair<T>(t, j);
    solve_eigenvector<C>(upper, j, norm, one);
    put_eigenvector<C>(basis, one, j, !is_complex<T> && !pair, vectors);
    if (!pair) continue;
    for (std::int64_t i = 0; i < n; ++i) vectors(i, j + 1) = std::conj(vectors(i, j));
    ++j;
  }
  // As in TensorFlow, the eigenvalues of complex matrices are in the order of their absolute values.
  for (std::int64_t i = 0; is_complex<T> && i < n; ++i) {
    C* const least = std::min_element(values + i, values + n, [](const C& a, const C& b) { return std::abs(a) < std::abs(b); });
    std::swap(values[i], *least);
    for (std::int64_t r = 0; r < vectors.rows; ++r) std::swap(vectors(r, i), vectors(r, least - values));
  }
  return true;
}

}  // namespace detail

template <class T, class C>
  requires detail::complex_form<C, T> void eig_op::operator()(cpu ctx, view<const T> x, view<C> e, view<C> v) const {
  using namespace detail;
  std::atomic<bool> found = true;
  for_each_matrix<T>(ctx, general_eigen_batch(x.shape()), [&](std::int64_t i, workshop<T> w) {
    const std::int64_t n = x.shape()[-1];
    const block<C> vectors = compute_v ? matrix_of(v, i) : block<C>(nullptr, 0, 0);
    if (!find_general_eigenvalues(w, matrix_of(x, i), e.data() + i * n, vectors)) found.store(false, std::memory_order_relaxed);
  });
  if (!found) ctx.fail("Eigen decomposition was not successful. The input might not be valid.");
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
