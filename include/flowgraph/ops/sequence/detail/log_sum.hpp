#pragma once
// Sums of probabilities that are given by their logarithms.

#include <cmath>
#include <limits>

#include <flowgraph/core/type.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// The logarithm of the probability 0.
template <class T> inline constexpr T log_zero = -std::numeric_limits<T>::infinity();

// Returns the logarithm of exp(a) + exp(b).
template <class T> T log_sum(T a, T b) {
  if (a == log_zero<T>) return b;
  if (b == log_zero<T>) return a;
  return a > b ? a + std::log1p(std::exp(b - a)) : b + std::log1p(std::exp(a - b));
}

}  // namespace flowgraph::detail
