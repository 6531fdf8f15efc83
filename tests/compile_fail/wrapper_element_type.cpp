// A function of the library's is given a handle of an element type that its op does not exist for.
// expect: tanh
// expect: input<0>
// expect: bfloat16, float, double
// expect: out<int>

#include <flowgraph/flowgraph.hpp>

namespace fg = flowgraph;

void build(fg::out<float> x, fg::out<int> n) {
#ifdef CONTROL
  n = {};
  x = fg::tanh(x);
#else
  auto y = fg::tanh(n);
  y.shape();
#endif
}
