// An untyped handle is taken for a typed one.
// expect: any_out
// expect: out<float>

#include <flowgraph/runtime/session.hpp>

namespace fg = flowgraph;

fg::out<float> typed(const fg::any_out& handle) {
#ifdef CONTROL
  return fg::out<float>::from(handle).value();
#else
  return handle;
#endif
}
