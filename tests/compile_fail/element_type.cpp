// An op is given a handle of an element type that it does not exist for.
// expect: misfit<swish,
// expect: input<0>
// expect: bfloat16, float, double>
// expect: out<int>

#include <flowgraph/graph/apply.hpp>

#include "swish.hpp"

void build(fg::out<float> x, fg::out<int> n) {
#ifdef CONTROL
  n = {};
#else
  x = fg::apply(swish{}, n);
#endif
  x = fg::apply(swish{}, x);
}
