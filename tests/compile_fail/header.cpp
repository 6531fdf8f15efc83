// A function whose header is missing: the compiler's message says which one it is.
// expect: include <flowgraph/ops/math/trigonometry.hpp>
#include <flowgraph/flowgraph.hpp>
#ifdef CONTROL
#include <flowgraph/ops/math/trigonometry.hpp>
#endif

namespace fg = flowgraph;

void curve(const fg::out<float>& x) { fg::sin(x); }
