#pragma once
// Exponential functions and logarithms.

#include <flowgraph/functors/functions.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

struct exp {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::exp(x); }
};
struct expm1 {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::expm1(x); }
};
struct log {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::log(x); }
};
struct log1p {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::log1p(x); }
};

using exponential_functors = functor_list<exp, expm1, log, log1p>;

}  // namespace flowgraph::functor
