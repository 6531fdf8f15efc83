// What a loop begins with are handles.
// expect: a while_loop begins with a handle

#include <flowgraph/ops/control_flow/while_loop.hpp>

#include "swish.hpp"

void build(fg::graph& g, fg::out<float> x) {
#ifdef CONTROL
  std::tuple first{x};
#else
  std::tuple first{x, 3};
#endif
  fg::while_loop(
      first, [&](auto...) { return g.constant(false); }, [](auto... a) { return std::tuple{a...}; });
}
