// A list of handles stands where one belongs.
// expect: misfit<swish,
// expect: input<0>
// expect: std::vector<

#include "swish.hpp"

void build(fg::out<float> x) {
#ifdef CONTROL
  fg::apply(swish{}, x);
#else
  fg::apply(swish{}, fg::out_list<float>{x, x});
#endif
}
