#pragma once
// Fourier transforms by their definition, in double, with which the tests of the ops compare.

#include "../evaluate.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <type_traits>

namespace ops_test {

// Products of small primes, primes, and lengths that are processed in packets with a rest.
inline constexpr std::int64_t lengths[] = {1,  2,  3,  4,  5,  6,  7,  8,   9,   11,  12,  15,  16,  17,   21,   25,  30,
                                           32, 35, 49, 60, 64, 97, 98, 100, 128, 194, 210, 243, 256, 1000, 1021, 1024};

template <class T> struct real_type {
  using type = T;
};
template <class R> struct real_type<std::complex<R>> {
  using type = R;
};

template <class T> fg::tensor<T> drawn(const fg::shape& shape, unsigned seed) {
  using R = typename real_type<T>::type;
  std::mt19937 generator(seed);
  std::uniform_real_distribution<R> draw(R(-1), R(1));
  fg::tensor<T> made(shape);
  for (T& e : made.writable()) {
    if constexpr (std::is_same_v<T, R>) e = draw(generator);
    else {
      const R re = draw(generator);
      e = {re, draw(generator)};
    }
  }
  return made;
}

// What may differ between elements of transforms of n elements in [-1, 1]: in relation to the root of the sum of their squares.
template <class T> double rounding(std::int64_t n) {
  using R = typename real_type<T>::type;
  return 4 * std::numeric_limits<R>::epsilon() * std::sqrt(static_cast<double>(n)) * (1 + std::log2(static_cast<double>(n)));
}

template <class T> double distance(const fg::tensor<T>& a, const fg::tensor<T>& b) {
  REQUIRE(a.shape() == b.shape());
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = std::abs(std::complex<double>(a.data()[i]) - std::complex<double>(b.data()[i]));
    if (!(apart <= most)) most = apart;
  }
  return most;
}

// The sums over the last `axes` axes.
template <class C> fg::tensor<C> transformed(const fg::tensor<C>& x, int axes, bool inverse) {
  std::vector<std::complex<double>> now(x.begin(), x.end());
  for (int axis = x.rank() - axes; axis < x.rank(); ++axis) {
    const std::int64_t n = x.shape()[axis];
    std::int64_t step = 1;
    for (int i = axis + 1; i < x.rank(); ++i) step *= x.shape()[i];
    std::vector<std::complex<double>> roots, next(now.size());
    for (std::int64_t k = 0; k < n; ++k)
      roots.push_back(std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n)));
    for (std::size_t i = 0; i < now.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i), k = at / step % n;
      for (std::int64_t j = 0; j < n; ++j)
        next[i] += now[static_cast<std::size_t>(at + (j - k) * step)] * roots[static_cast<std::size_t>(j * k % n)];
      if (inverse) next[i] /= static_cast<double>(n);
    }
    now = next;
  }
  fg::tensor<C> made(x.shape());
  for (std::size_t i = 0; i < now.size(); ++i) made.writable()[i] = C(now[i]);
  return made;
}

}  // namespace ops_test
