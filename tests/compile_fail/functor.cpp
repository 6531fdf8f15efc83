// A kernel of the library whose functor is not in a list: it would run at the baseline instruction set on every processor.
// expect: this functor is not in the list of a family in flowgraph/functors
// expect: cube

#define FLOWGRAPH_STANDARD_KERNELS
#include <flowgraph/ops/kernel/dispatch.hpp>
#include <flowgraph/ops/kernel/loops.hpp>

namespace fg = flowgraph;

struct cube {
  template <class P> FLOWGRAPH_ALWAYS_INLINE static P packet(P x) { return P(x * x * x); }
};

void run(const float* x, float* y) {
#ifdef CONTROL
  fg::kernel::unary_loop<fg::functor::softsign, float>()(x, y, 8);
#else
  fg::kernel::unary_loop<cube, float>()(x, y, 8);
#endif
}
