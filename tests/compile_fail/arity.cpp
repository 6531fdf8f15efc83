// An op is given fewer inputs than it takes.
// expect: misfit<mix,
// expect: inputs<2>
// expect: inputs<1>

#include "swish.hpp"

void build(fg::out<float> x) {
#ifdef CONTROL
  auto y = fg::apply(mix{}, x, x);
#else
  auto y = fg::apply(mix{}, x);
#endif
  y.shape();
}
