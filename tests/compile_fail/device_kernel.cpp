// A device gets a kernel without the header that defines how: the compiler's message says which one it is.
// expect: include <flowgraph/op/device_kernel.hpp>
#include <flowgraph/flowgraph.hpp>

#include "swish.hpp"
#ifdef CONTROL
#include <flowgraph/op/device_kernel.hpp>
#endif

fg::result<void> add_kernel(fg::device& accelerator) {
  return accelerator.add<swish, float>([](const swish&, fg::cpu, fg::view<const float>, fg::view<float>) {});
}
