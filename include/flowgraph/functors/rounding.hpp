#pragma once
// Rounding, and the next floating-point number.

#include <flowgraph/functors/functions.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

struct floor {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::floor(x); }
};
struct ceil {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return P(-functions<P>::floor(P(-x))); }
};
// Rounds to the nearest integer; halfway cases round to the even integer.
struct rint {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::rint(x); }
};

// The number after x in the direction of `towards`.
struct next_after {
  static constexpr bool by_number = true;
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P towards) { return functions<P>::next_after(x, towards); }
};

using rounding_functors = functor_list<floor, ceil, rint>;

}  // namespace flowgraph::functor
