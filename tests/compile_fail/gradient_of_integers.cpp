// Gradients with respect to integers do not exist.
// expect: gradients
// expect: int
// expect: with respect to

#include <flowgraph/graph/gradients.hpp>

namespace fg = flowgraph;

void build(fg::out<float> loss, fg::out<float> w, fg::out<int> n) {
#ifdef CONTROL
  n = {};
  auto [dw, dn] = fg::gradients(loss, w, w);
#else
  auto [dw, dn] = fg::gradients(loss, w, n);
#endif
  fg::out<float> d = dw;
  d.shape();
}
