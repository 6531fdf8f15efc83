#pragma once
// Sums, products, quotients, extremes and signs.

#include <flowgraph/functors/functions.hpp>

#include <flowgraph/hide_names.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

struct add {
  static constexpr bool exact = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return P(a + b); }
};
struct sub {
  static constexpr bool exact = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return P(a - b); }
};
struct mul {
  static constexpr bool exact = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return P(a * b); }
};
struct div {
  static constexpr bool exact = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return P(a / b); }
};
// Returns NaN if either operand is NaN.
struct maximum {
  static constexpr bool exact = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return functions<P>::max(a, b); }
};
struct minimum {
  static constexpr bool exact = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return functions<P>::min(a, b); }
};
struct squared_difference {
  static constexpr bool exact = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P a, P b) { return P(P(a - b) * P(a - b)); }
};
struct neg {
  static constexpr bool exact = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return P(-x); }
};
struct abs {
  static constexpr bool exact = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::abs(x); }
};
// Returns -1, 0 or 1. NaN remains NaN.
struct sign {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) {
    using f = functions<P>;
    return f::select(x > P(0), P(1), f::select(x == P(0), P(0), f::select(x == x, P(P(0) - P(1)), x)));
  }
};
struct square {
  static constexpr bool exact = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return P(x * x); }
};
struct reciprocal {
  static constexpr bool exact = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return P(P(1) / x); }
};

using arithmetic_functors =
    functor_list<add, sub, mul, div, maximum, minimum, squared_difference, neg, abs, sign, square, reciprocal>;

}  // namespace flowgraph::functor

#include <flowgraph/show_names.hpp>
