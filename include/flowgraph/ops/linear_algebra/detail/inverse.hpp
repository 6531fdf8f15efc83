#pragma once

#include <flowgraph/ops/linear_algebra/inverse.hpp>
#include <flowgraph/ops/linear_algebra/detail/triangles.hpp>

#include <atomic>
#include <limits>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

inline matrix_batch inverse_batch(const shape& x) {
  const std::int64_t n = x[-1], h = half_of(n);
  return {matrices_in(x), n * n * n * 8 / 3, 2 * n * n + n, n * h, n, n, h};
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t inverse_scratch(const shape& x) { return inverse_batch(x).scratch(); }

template <class T> void inverse_form::operator()(cpu ctx, view<const T> x, view<T> y) const {
  using W = wide<T>;
  std::atomic<bool> singular = false;
  for_each_matrix<W>(ctx, inverse_batch(x.shape()), [&](std::int64_t i, workshop<W> w) {
    const std::int64_t n = x.shape()[-1];
    const block<W> lu = w.take_matrix(n, n), result = w.take_matrix(n, n);
    auto* pivots = w.template take<std::int64_t>(n);
    copy_block(matrix_of(x, i), lu, adjoint);
    factor_lu(w, lu, pivots);
    if (is_singular<W>(lu)) singular.store(true, std::memory_order_relaxed);
    set_identity(result);
    solve_lu<W>(w, lu, pivots, result);
    copy_block(result, matrix_of(y, i));
  });
  if (singular) ctx.fail("Input is not invertible.");
}

inline matrix_batch lu_batch(const shape& x) {
  const std::int64_t n = x[-1], h = half_of(n);
  return {matrices_in(x), n * n * n * 2 / 3, n * n + n, n * h, n, n, h};
}
FLOWGRAPH_COLD FLOWGRAPH_KERNEL_INLINE std::size_t lu_scratch(const shape& x) { return lu_batch(x).scratch(); }

// A determinant as sign * exp(log).
template <class T> struct signed_log {
  T sign = 1;
  real_of<T> log = 0;

  void multiply_by(const T& factor) {
    const real_of<T> size = std::abs(factor);
    sign = size == 0 ? T(0) : times(sign, factor / size);
    log += std::log(size);
  }
  // Returns the determinant of the matrix that factor_lu decomposed.
  static signed_log of(block<const T> lu, const std::int64_t* pivots) {
    signed_log result;
    for (std::int64_t k = 0; k < lu.rows; ++k) {
      result.multiply_by(lu(k, k));
      if (pivots[k] != k) result.sign = -result.sign;
    }
    return result;
  }
};

template <class T, class Put> void for_each_determinant(cpu ctx, view<const T> x, const Put& put) {
  for_each_matrix<T>(ctx, lu_batch(x.shape()), [&](std::int64_t i, workshop<T> w) {
    const std::int64_t n = x.shape()[-1];
    const block<T> lu = w.take_matrix(n, n);
    auto* pivots = w.template take<std::int64_t>(n);
    copy_block(matrix_of(x, i), lu);
    factor_lu(w, lu, pivots);
    put(static_cast<std::size_t>(i), lu, pivots);
  });
}

// Returns the product of the diagonal, in parts of the exponent's range, so that no part overflows.
template <class T> T product_of_diagonal(block<const T> lu, const std::int64_t* pivots) {
  T product = 1;
  std::int64_t exponent = 0;
  for (std::int64_t k = 0; k < lu.rows; ++k) {
    product = times(product, lu(k, k));
    if (pivots[k] != k) product = -product;
    const real_of<T> size = std::abs(product);
    if (size == 0 || !std::isfinite(size)) continue;
    const int part = std::ilogb(size);
    product *= std::scalbn(real_of<T>(1), -part);
    exponent += part;
  }
  using limits = std::numeric_limits<real_of<T>>;
  const auto half = static_cast<int>(std::clamp<std::int64_t>(exponent, 4 * limits::min_exponent, 4 * limits::max_exponent) / 2);
  const auto rest =
      static_cast<int>(std::clamp<std::int64_t>(exponent, 4 * limits::min_exponent, 4 * limits::max_exponent)) - half;
  if constexpr (is_complex<T>)
    return {std::scalbn(std::scalbn(product.real(), half), rest), std::scalbn(std::scalbn(product.imag(), half), rest)};
  else return std::scalbn(std::scalbn(product, half), rest);
}

template <class T> void determinant_form::operator()(cpu ctx, view<const T> x, view<T> y) const {
  for_each_determinant(
      ctx, x, [&](std::size_t i, block<const T> lu, const std::int64_t* pivots) { y[i] = product_of_diagonal(lu, pivots); });
}

}  // namespace detail

template <class T> void log_matrix_determinant_op::operator()(cpu ctx, view<const T> x, view<T> sign, view<T> log) const {
  detail::for_each_determinant(ctx, x, [&](std::size_t i, detail::block<const T> lu, const std::int64_t* pivots) {
    const auto result = detail::signed_log<T>::of(lu, pivots);
    sign[i] = result.sign;
    log[i] = result.log;
  });
}

template <class T, class I> void lu_op::operator()(cpu ctx, view<const T> x, view<T> lu, view<I> p) const {
  using namespace detail;
  std::atomic<bool> singular = false;
  for_each_matrix<T>(ctx, lu_batch(x.shape()), [&](std::int64_t i, workshop<T> w) {
    const block<T> result = matrix_of(lu, i);
    auto* pivots = w.template take<std::int64_t>(result.rows);
    copy_block(matrix_of(x, i), result);
    factor_lu(w, result, pivots);
    if (is_singular<T>(result)) singular.store(true, std::memory_order_relaxed);
    I* const order = p.data() + i * result.rows;
    for (std::int64_t k = 0; k < result.rows; ++k) order[k] = static_cast<I>(k);
    for (std::int64_t k = 0; k < result.rows; ++k) std::swap(order[k], order[pivots[k]]);
  });
  if (singular) ctx.fail("Input is not invertible.");
}

}  // namespace flowgraph
