#pragma once

#include <flowgraph/ops/linear_algebra/detail/schur.hpp>
#include <flowgraph/ops/linear_algebra/matrix_functions.hpp>

#include <limits>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns a batch of square matrices whose functions need memory for `matrices` matrices.
inline matrix_batch matrix_function_batch(const shape& x, std::int64_t matrices, std::int64_t operations) {
  const std::int64_t n = x[-1];
  return {matrices_in(x), operations * n * n * n, matrices * n * n + 2 * n, n * n, n, n, n};
}
inline matrix_batch matrix_exponential_batch(const shape& x) { return matrix_function_batch(x, 7, 20); }
inline matrix_batch matrix_square_root_batch(const shape& x) { return matrix_function_batch(x, 6, 30); }
inline matrix_batch matrix_logarithm_batch(const shape& x) { return matrix_function_batch(x, 5, 40); }

FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t matrix_exponential_scratch(const shape& x) {
  return matrix_exponential_batch(x).scratch();
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t matrix_square_root_scratch(const shape& x) {
  return matrix_square_root_batch(x).scratch();
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t matrix_logarithm_scratch(const shape& x) {
  return matrix_logarithm_batch(x).scratch();
}

template <class T> void fill_block(block<T> to, const T& value) {
  for (std::int64_t i = 0; i < to.rows; ++i) std::fill_n(to.row(i), to.columns, value);
}
template <class T> T not_a_number() {
  constexpr real_of<T> nan = std::numeric_limits<real_of<T>>::quiet_NaN();
  if constexpr (is_complex<T>) return {nan, nan};
  else return nan;
}

// Returns the largest sum of the absolute values of a column.
template <class T> real_of<T> one_norm(block<const T> a) {
  real_of<T> largest = 0;
  for (std::int64_t j = 0; j < a.columns; ++j) {
    real_of<T> sum = 0;
    for (std::int64_t i = 0; i < a.rows; ++i) sum += std::abs(a(i, j));
    if (!(sum <= largest)) largest = sum;
    if (!std::isfinite(largest)) return std::numeric_limits<real_of<T>>::quiet_NaN();
  }
  return largest;
}

// ---- The exponential: a Padé approximant of degree 3 to 13, after the matrix was halved until its norm is small. Higham, "The
// scaling and squaring method for the matrix exponential revisited", 2005, gives the bounds and the coefficients.

struct pade_choice {
  int degree;   // of the numerator and the denominator
  double most;  // the largest norm for which this degree is precise
};
template <class R> constexpr auto pade_choices() {
  if constexpr (sizeof(R) <= 4)
    return std::array<pade_choice, 3>{{{3, 4.258730016922831e-1}, {5, 1.880152677804762}, {7, 3.925724783138660}}};
  else
    return std::array<pade_choice, 5>{{{3, 1.495585217958292e-2},
                                       {5, 2.539398330063230e-1},
                                       {7, 9.504178996162932e-1},
                                       {9, 2.097847961257068},
                                       {13, 5.371920351148152}}};
}

// The coefficients of the numerator: (2 m - k)! m! / ((2 m)! k! (m - k)!), scaled so that the last is 1.
struct pade_coefficients {
  double at[14] = {};
  explicit pade_coefficients(int m) {
    at[m] = 1;
    for (int k = m; k > 0; --k) at[k - 1] = at[k] * k * (2 * m - k + 1) / (m - k + 1);
  }
};

// Sets `to` to the sum of b[first + 2 i] powers[i]. powers[0] is the identity.
template <class T> void sum_powers(block<T> to, const block<T>* powers, const double* b, std::int64_t count) {
  using R = real_of<T>;
  for (std::int64_t i = 0; i < to.rows; ++i)
    for (std::int64_t j = 0; j < to.columns; ++j) {
      T sum = T(i == j ? static_cast<R>(b[0]) : R(0));
      for (std::int64_t k = 1; k < count; ++k) sum += static_cast<R>(b[2 * k]) * powers[k](i, j);
      to(i, j) = sum;
    }
}

// Computes the odd and the even part of the numerator, for degree 13. The powers are a^2, a^4 and a^6 from powers[1] on.
template <class T>
void sum_degree_13(const workshop<T>& w, block<T> odd, block<T> even, const block<T>* powers, const double* b, block<T> spare) {
  using R = real_of<T>;
  for (int part = 1; part >= 0; --part) {
    const block<T> to = part ? odd : even;
    sum_powers(to, powers, b + part, 4);
    for (std::int64_t i = 0; i < to.rows; ++i)
      for (std::int64_t j = 0; j < to.columns; ++j) {
        T sum = T(0);
        for (int k = 1; k <= 3; ++k) sum += static_cast<R>(b[6 + 2 * k + part]) * powers[k](i, j);
        spare(i, j) = sum;
      }
    multiply(w, to, powers[3], false, spare, false, product_mode::add);
  }
}

template <class T> void find_exponential(workshop<T>& w, block<const T> x, block<T> y) {
  using R = real_of<T>;
  const std::int64_t n = x.rows;
  const block<T> a = w.take_matrix(n, n), spare = w.take_matrix(n, n), even = w.take_matrix(n, n);
  const block<T> powers[5] = {spare, w.take_matrix(n, n), w.take_matrix(n, n), w.take_matrix(n, n), w.take_matrix(n, n)};
  auto* const pivots = w.template take<std::int64_t>(n);
  const R norm = one_norm(x);
  if (!std::isfinite(norm)) return fill_block(y, not_a_number<T>());
  constexpr auto choices = pade_choices<R>();
  std::size_t chosen = 0;
  while (chosen + 1 < choices.size() && !(norm < static_cast<R>(choices[chosen].most))) ++chosen;
  int halvings = 0;
  if (chosen + 1 == choices.size()) std::frexp(norm / static_cast<R>(choices[chosen].most), &halvings);
  halvings = std::max(halvings, 0);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) a(i, j) = x(i, j) * std::scalbn(R(1), -halvings);
  const int degree = choices[chosen].degree, most = degree == 13 ? 3 : degree / 2;
  const pade_coefficients b(degree);
  multiply(w, powers[1], a, false, a, false, product_mode::assign);
  for (int k = 2; k <= most; ++k) multiply(w, powers[k], powers[k - 1], false, powers[1], false, product_mode::assign);
  // The odd part without its factor a is made in y.
  if (degree == 13) {
    sum_degree_13(w, y, even, powers, b.at, spare);
  } else {
    sum_powers(y, powers, b.at + 1, most + 1);
    sum_powers(even, powers, b.at, most + 1);
  }
  multiply(w, spare, a, false, y, false, product_mode::assign);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      y(i, j) = even(i, j) + spare(i, j);
      even(i, j) -= spare(i, j);
    }
  factor_lu(w, even, pivots);
  solve_lu<T>(w, even, pivots, y);
  for (; halvings > 0; --halvings) {
    copy_block(y, a);
    multiply(w, y, a, false, a, false, product_mode::assign);
  }
}

// ---- The square root: that of the triangular Schur form.

// Replaces an upper triangular matrix by its square root. The root of a negative real element of the diagonal is NaN.
template <class T> void take_triangular_root(block<T> t) {
  for (std::int64_t j = 0; j < t.columns; ++j) {
    t(j, j) = std::sqrt(t(j, j));
    for (std::int64_t i = j - 1; i >= 0; --i) {
      T sum = t(i, j);
      for (std::int64_t k = i + 1; k < j; ++k) sum -= times(t(i, k), t(k, j));
      t(i, j) = sum / (t(i, i) + t(j, j));
    }
  }
}

// Sets y to q t q^H.
template <class T> void restore_basis(const workshop<T>& w, block<T> q, block<T> t, block<T> spare, block<T> y) {
  multiply(w, spare, q, false, t, false, product_mode::assign);
  multiply(w, y, spare, false, q, true, product_mode::assign);
}

// Finds the root of a real matrix with pairs of complex eigenvalues, by complex numbers.
template <class R> void find_root_of_pairs(workshop<R>& w, block<R> t, block<R> q, block<R> y) {
  using C = std::complex<R>;
  const std::int64_t n = t.rows;
  workshop<C> of_complex{w.threads, reinterpret_cast<C*>(w.left), w.of_products, w.own};
  const block<C> upper = of_complex.take_matrix(n, n), basis = of_complex.take_matrix(n, n), spare = of_complex.take_matrix(n, n),
                 root = of_complex.take_matrix(n, n);
  complete_schur<R>(t, q, upper, basis);
  bool is_negative = false;
  for (std::int64_t k = 0; k < n; k += is_pair<R>(t, k) ? 2 : 1) is_negative = is_negative || (!is_pair<R>(t, k) && t(k, k) < 0);
  if (is_negative) return fill_block(y, not_a_number<R>());
  take_triangular_root(upper);
  restore_basis(of_complex, basis, upper, spare, root);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) y(i, j) = root(i, j).real();
}

template <class T> void find_square_root(workshop<T>& w, block<const T> x, block<T> y) {
  const std::int64_t n = x.rows;
  const block<T> t = w.take_matrix(n, n), q = w.take_matrix(n, n);
  T* const sums = w.template take<T>(n);
  copy_block(x, t);
  if (!is_finite<T>(x) || !decompose_schur(t, q, sums)) return fill_block(y, not_a_number<T>());
  if constexpr (!is_complex<T>)
    if (has_pairs<T>(t)) return find_root_of_pairs(w, t, q, y);
  take_triangular_root(t);
  restore_basis(w, q, t, w.take_matrix(n, n), y);
}

// ---- The logarithm: log(t) = 2^k log(t^(1 / 2^k)), for the triangular Schur form t. The logarithm near the identity is an
// integral over [0, 1], which Gauss's rule with 7 points computes; this equals the Padé approximant of degree 7.

inline constexpr double gauss_points[7] = {0.025446043828620737737, 0.12923440720030278007, 0.29707742431130141655, 0.5,
                                           0.70292257568869858345,  0.87076559279969721993, 0.97455395617137926226};
inline constexpr double gauss_weights[7] = {0.064742483084434846635, 0.13985269574463833395, 0.19091502525255947248,
                                            0.20897959183673469388,  0.19091502525255947248, 0.13985269574463833395,
                                            0.064742483084434846635};

// Sets `to` to log(1 + x), for an upper triangular x of small norm.
template <class C> void sum_logarithm(const workshop<C>& w, block<C> x, block<C> factor, block<C> part, block<C> to) {
  using R = real_of<C>;
  const std::int64_t n = x.rows;
  fill_block(to, C(0));
  for (int p = 0; p < 7; ++p) {
    const R point = static_cast<R>(gauss_points[p]), weight = static_cast<R>(gauss_weights[p]);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) factor(i, j) = point * x(i, j) + C(i == j ? R(1) : R(0));
    copy_block(x, part);
    solve_triangle(w, triangle<C>{factor, false}, part);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = i; j < n; ++j) to(i, j) += weight * part(i, j);
  }
}

template <class C> void find_logarithm(workshop<C>& w, block<const C> x, block<C> y) {
  using R = real_of<C>;
  constexpr int most_roots = 64;     // more than the logarithm of any finite number needs
  constexpr R most_norm = R(0.264);  // for which 7 points are precise
  const std::int64_t n = x.rows;
  const block<C> t = w.take_matrix(n, n), q = w.take_matrix(n, n), factor = w.take_matrix(n, n), part = w.take_matrix(n, n),
                 result = w.take_matrix(n, n);
  C* const diagonal = w.template take<C>(n);
  copy_block(x, t);
  if (!decompose_schur(t, q, diagonal)) return fill_block(y, not_a_number<C>());
  for (std::int64_t i = 0; i < n; ++i) diagonal[i] = std::log(t(i, i));
  int roots = 0;
  const auto distance = [&] {
    copy_block(t, part);
    for (std::int64_t i = 0; i < n; ++i) part(i, i) -= C(1);
    return one_norm<C>(part);
  };
  R norm = distance();
  for (; norm > most_norm && roots < most_roots; ++roots) {
    take_triangular_root(t);
    norm = distance();
  }
  if (!(norm <= most_norm)) return fill_block(y, not_a_number<C>());
  for (std::int64_t i = 0; i < n; ++i) t(i, i) -= C(1);
  sum_logarithm(w, t, factor, part, result);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = i; j < n; ++j) result(i, j) *= std::scalbn(R(1), roots);
    result(i, i) = diagonal[i];
  }
  restore_basis(w, q, result, part, y);
}

}  // namespace detail

template <class T> void matrix_exponential_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  using namespace detail;
  for_each_matrix<T>(ctx, matrix_exponential_batch(x.shape()),
                     [&](std::int64_t i, workshop<T> w) { find_exponential(w, matrix_of(x, i), matrix_of(y, i)); });
}

template <class T> void matrix_logarithm_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  using namespace detail;
  for_each_matrix<T>(ctx, matrix_logarithm_batch(x.shape()),
                     [&](std::int64_t i, workshop<T> w) { find_logarithm(w, matrix_of(x, i), matrix_of(y, i)); });
}

template <class T> void matrix_square_root_op::operator()(cpu ctx, view<const T> x, view<T> y) const {
  using namespace detail;
  for_each_matrix<T>(ctx, matrix_square_root_batch(x.shape()),
                     [&](std::int64_t i, workshop<T> w) { find_square_root(w, matrix_of(x, i), matrix_of(y, i)); });
}

}  // namespace flowgraph

#include <flowgraph/show_names.hpp>
