// Two inputs that must have one element type have two. What is made of the result is no second mistake.
// expect: misfit<mix,
// expect: input<1>
// expect: type_list<float>
// expect: out<int>

#include "swish.hpp"

void build(fg::out<float> x, fg::out<int> n) {
#ifdef CONTROL
  n = {};
  auto y = fg::apply(mix{}, x, x);
#else
  auto y = fg::apply(mix{}, x, n);
#endif
  fg::out<float> z = fg::apply(mix{}, x, y);
  z.shape();
}
