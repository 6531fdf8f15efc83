#pragma once
// Comparisons and logical operations.

#include <flowgraph/functors/functions.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

struct equal {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static bool packet(const P& a, const P& b) { return a == b; }
};
struct not_equal {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static bool packet(const P& a, const P& b) { return !(a == b); }
};
struct less {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static bool packet(const P& a, const P& b) { return a < b; }
};
struct less_equal {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static bool packet(const P& a, const P& b) { return a <= b; }
};
struct greater {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static bool packet(const P& a, const P& b) { return b < a; }
};
struct greater_equal {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static bool packet(const P& a, const P& b) { return b <= a; }
};
struct logical_and {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static bool packet(P a, P b) { return a && b; }
};
struct logical_or {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static bool packet(P a, P b) { return a || b; }
};

// The larger and the smaller operand, as in C++: a NaN is neither larger nor smaller.
struct larger {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static constexpr P packet(P a, P b) { return a < b ? b : a; }
};
struct smaller {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static constexpr P packet(P a, P b) { return b < a ? b : a; }
};

}  // namespace flowgraph::functor
