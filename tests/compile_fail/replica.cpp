// A replica returns nothing.
// expect: the function given to replicate takes a const fg::replica& and returns a scalar loss
#include <flowgraph/flowgraph.hpp>
#include <flowgraph/train/replicate.hpp>

namespace fg = flowgraph;

void mistake(fg::graph g, fg::out<float> x, fg::variable<float> w) {
#ifdef CONTROL
  const auto made = fg::replicate(g, {"/cpu:0"}, [&](const fg::replica& r) { return fg::mean(r.rows(x) * w); });
#else
  fg::replicate(g, {"/cpu:0"}, [&](const fg::replica& r) { fg::mean(r.rows(x) * w); });
#endif
}
