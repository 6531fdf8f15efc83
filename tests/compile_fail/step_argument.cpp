// A step is given a tensor of another element type than its feed has.
// expect: tensor<int>
// expect: tensor<float>

#include <flowgraph/runtime/session.hpp>

namespace fg = flowgraph;

void run(fg::session& s, fg::out<float> x, fg::out<float> y) {
  auto step = s.prepare(fg::feed(x), fg::fetch(y));
#ifdef CONTROL
  step(fg::tensor<float>(1.f));
#else
  step(fg::tensor<int>(1));
#endif
}
