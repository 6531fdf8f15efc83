// An untyped handle is taken for a typed one.
// expect: any_out
// expect: out<float>
// clang++ lines: 14, since it also lists the constructor by which a gradient becomes a dense handle

#include <flowgraph/runtime/session.hpp>

namespace fg = flowgraph;

fg::out<float> typed(const fg::any_out& handle) {
#ifdef CONTROL
  return fg::out<float>::from(handle).value();
#else
  return handle;
#endif
}
