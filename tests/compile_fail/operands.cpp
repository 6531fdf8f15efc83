// Operators do not mix element types.
// expect: operator+
// expect: the operands have different element types
// expect: <float, int>

#include "swish.hpp"

void build(fg::variable<float> x, fg::out<int> n) {
#ifdef CONTROL
  n = {};
  auto y = x + x;
#else
  auto y = x + n;
#endif
  y.shape();
}
