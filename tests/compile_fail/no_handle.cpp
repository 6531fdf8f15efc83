// A number stands where a handle belongs.
// expect: misfit<mix,
// expect: input<1>
// expect: found<double>

#include "swish.hpp"

void build(fg::out<double> x) {
#ifdef CONTROL
  x = fg::apply(mix{}, x, x);
#else
  x = fg::apply(mix{}, x, 2.0);
#endif
}
