#pragma once
// The error function and its complement.

#include <flowgraph/functors/functions.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::functor {

struct erf {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::erf(x); }
};
struct erfc {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return functions<P>::erfc(x); }
};

using error_function_functors = functor_list<erf, erfc>;

}  // namespace flowgraph::functor
