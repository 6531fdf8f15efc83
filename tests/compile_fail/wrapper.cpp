// A function of the library's is given handles of two element types.
// expect: mat_mul_op
// expect: out<int>
// expect: expected

#include <flowgraph/flowgraph.hpp>

namespace fg = flowgraph;

void build(fg::out<float> x, fg::out<int> n) {
#ifdef CONTROL
  n = {};
  auto y = fg::matmul(x, x);
#else
  auto y = fg::matmul(x, n);
#endif
  y.shape();
}
