#pragma once
// Matrices for the tests of decompositions, and their products in the element type, summed in order.

#include "../evaluate.hpp"

#include <cmath>
#include <complex>

namespace ops_test {

template <class T> using real_of = decltype(std::real(T()));

// Elements in [-1, 1], the same for each seed.
template <class T> fg::tensor<T> drawn(const fg::shape& shape, std::uint32_t seed) {
  fg::tensor<T> t(shape);
  std::uint32_t state = seed * 747796405u + 1u;
  const auto next = [&] {
    state = state * 1664525u + 1013904223u;
    return static_cast<real_of<T>>(static_cast<double>(state >> 8) / (1 << 23) - 1);
  };
  for (T& e : t.writable()) {
    if constexpr (std::is_same_v<T, real_of<T>>) e = next();
    else e = T(next(), next());
  }
  return t;
}

template <class T> fg::tensor<T> product(const fg::tensor<T>& a, const fg::tensor<T>& b) {
  const std::int64_t m = a.dim(0), k = a.dim(1), n = b.dim(1);
  fg::tensor<T> y({m, n});
  auto out = y.writable();
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t p = 0; p < k; ++p)
      for (std::int64_t j = 0; j < n; ++j) out[static_cast<std::size_t>(i * n + j)] += a(i, p) * b(p, j);
  return y;
}

template <class T> T conjugate(const T& x) {
  if constexpr (std::is_same_v<T, real_of<T>>) return x;
  else return std::conj(x);
}
template <class T> fg::tensor<T> adjoint(const fg::tensor<T>& x) {
  fg::tensor<T> y({x.dim(1), x.dim(0)});
  auto out = y.writable();
  for (std::int64_t i = 0; i < x.dim(0); ++i)
    for (std::int64_t j = 0; j < x.dim(1); ++j) out[static_cast<std::size_t>(j * x.dim(0) + i)] = conjugate(x(i, j));
  return y;
}

// A Hermitian matrix whose eigenvalues are at least 1.
template <class T> fg::tensor<T> positive(std::int64_t n, std::uint32_t seed) {
  const fg::tensor<T> x = drawn<T>({n, n}, seed);
  fg::tensor<T> y = product(x, adjoint(x));
  for (std::int64_t i = 0; i < n; ++i) y.writable()[static_cast<std::size_t>(i * n + i)] += T(1);
  return y;
}
template <class T> fg::tensor<T> identity(std::int64_t n) {
  fg::tensor<T> y({n, n});
  for (std::int64_t i = 0; i < n; ++i) y.writable()[static_cast<std::size_t>(i * n + i)] = T(1);
  return y;
}

// The largest difference of two tensors.
template <class T> double distance(const fg::tensor<T>& a, const fg::tensor<T>& b) {
  REQUIRE(a.shape() == b.shape());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = static_cast<double>(std::abs(a.data()[i] - b.data()[i]));
    if (!(d <= largest)) largest = d;  // also NaN
  }
  return largest;
}
template <class T> double rounding(std::int64_t n) {
  return 100 * static_cast<double>(n) * static_cast<double>(std::numeric_limits<real_of<T>>::epsilon());
}

}  // namespace ops_test
