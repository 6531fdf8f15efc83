// The branches of a condition give one type.
// expect: the branches of a cond return different element types

#include <flowgraph/ops/control_flow/cond.hpp>

#include "swish.hpp"

void build(fg::out<bool> p, fg::out<float> x, fg::out<int> n) {
#ifdef CONTROL
  n = {};
  auto y = fg::cond(
      p, [&] { return x; }, [&] { return x; });
#else
  auto y = fg::cond(
      p, [&] { return x; }, [&] { return n; });
#endif
  y.shape();
}
