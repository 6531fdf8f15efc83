// A run feeds a tensor of another element type than the edge has.
// expect: fed
// expect: tensor<int>

#include <flowgraph/runtime/session.hpp>

namespace fg = flowgraph;

void run(fg::session& s, fg::out<float> x, fg::out<float> y) {
  const fg::tensor<int> n(1);
#ifdef CONTROL
  s.run(fg::fetch(y), {fg::fed(x, fg::tensor<float>(1.f))});
#else
  s.run(fg::fetch(y), {fg::fed(x, n)});
#endif
}
