#pragma once
// Polynomials and their quotients, for functions that are computed by approximations. The first coefficient is of the highest power.

#include <flowgraph/functors/functions.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

template <class T, class C, unsigned N> FLOWGRAPH_FUNCTION constexpr T polynomial(T x, const C (&coefficients)[N]) {
  T y = static_cast<T>(coefficients[0]);
  for (unsigned i = 1; i < N; ++i) y = y * x + static_cast<T>(coefficients[i]);
  return y;
}

template <class T, unsigned N, unsigned M> FLOWGRAPH_FUNCTION T quotient(T x, const double (&over)[N], const double (&under)[M]) {
  return polynomial(x, over) / polynomial(x, under);
}

}  // namespace flowgraph::functor
