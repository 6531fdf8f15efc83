// The condition of a loop is a yes or no.
// expect: the condition of a while_loop is an out<bool>

#include <flowgraph/ops/control_flow/while_loop.hpp>

#include "swish.hpp"

void build(fg::graph& g, fg::out<float> x) {
#ifdef CONTROL
  auto condition = [&](auto) { return g.constant(false); };
#else
  auto condition = [&](auto a) { return a; };
  g.size();
#endif
  fg::while_loop(x, condition, [](auto a) { return a; }).shape();
}
