// The body of a loop returns what it is given.
// expect: the body of a while_loop returns other element types than it is given

#include <flowgraph/ops/control_flow/while_loop.hpp>

#include "swish.hpp"

void build(fg::graph& g, fg::out<float> x, fg::out<int> n) {
#ifdef CONTROL
  auto next = [&](auto a, auto i) { return std::tuple{a, i}; };
#else
  auto next = [&](auto a, auto i) { return std::tuple{i, a}; };
#endif
  auto [y, m] = fg::while_loop(
      std::tuple{x, n}, [&](auto, auto) { return g.constant(false); }, next);
  y.shape(), m.shape();
}
