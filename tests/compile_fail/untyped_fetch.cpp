// A fetch by name says no element type.
// expect: the element types are not known
// expect: fg::fetch<float>

#include <flowgraph/runtime/session.hpp>

namespace fg = flowgraph;

void run(fg::session& s, fg::out<float> x) {
#ifdef CONTROL
  s.prepare(fg::feed(x), fg::fetch<float>("y:0"), "train");
#else
  s.prepare(fg::feed(x), fg::fetch("y:0"), "train");
#endif
}
