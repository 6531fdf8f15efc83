#pragma once
// Trigonometric and hyperbolic functions and their inverses. tanh is in activation.hpp.

#include <flowgraph/functors/functions.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

// These functions are those of libm, for one number at a time.
struct sin {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::sin(x); }
};
struct cos {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::cos(x); }
};
struct tan {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::tan(x); }
};
struct asin {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::asin(x); }
};
struct acos {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::acos(x); }
};
struct atan {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::atan(x); }
};
struct sinh {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::sinh(x); }
};
struct cosh {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::cosh(x); }
};
struct asinh {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::asinh(x); }
};
struct acosh {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::acosh(x); }
};
struct atanh {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::atanh(x); }
};
struct atan2 {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P y, P x) { return functions<P>::atan2(y, x); }
};

}  // namespace flowgraph::functor
