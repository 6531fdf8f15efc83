#pragma once
// Functions that return 0 if one operand is 0, even if the other operand is not finite.

#include <flowgraph/functors/functions.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

struct mul_no_nan {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) { return functions<P>::select(y == P(0), P(0), P(x * y)); }
};
struct div_no_nan {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) { return functions<P>::select(y == P(0), P(0), P(x / y)); }
};
struct xdivy {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) { return functions<P>::select(x == P(0), P(0), P(x / y)); }
};
struct xlogy {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) {
    return functions<P>::select(x == P(0), P(0), P(x * functions<P>::log(y)));
  }
};
struct xlog1py {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x, P y) {
    return functions<P>::select(x == P(0), P(0), P(x * functions<P>::log1p(y)));
  }
};

using no_nan_functors = functor_list<mul_no_nan, div_no_nan, xdivy, xlogy, xlog1py>;

}  // namespace flowgraph::functor
