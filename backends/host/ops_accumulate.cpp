#include <flowgraph/ops/accumulate.hpp>

#include <flowgraph/ops/impl/accumulate.hpp>

// The table of every op refers to these functions, and so does gradients(). A program that includes only the headers of single ops
// links them from here.
#ifndef FLOWGRAPH_INFERENCE
namespace flowgraph::inline FLOWGRAPH_ABI::detail {

#define FLOWGRAPH_SUMS_OF(T)                                  \
  template any_grad accumulate<T>(std::span<const any_grad>); \
  template out<T> dense_gradient<T>(const any_grad&);         \
  template any_grad ones_of<T>(out<T>);                       \
  template out<T> zeros_of<T>(out<T>);

FLOWGRAPH_SUMS_OF(half)
FLOWGRAPH_SUMS_OF(bfloat16)
FLOWGRAPH_SUMS_OF(float)
FLOWGRAPH_SUMS_OF(double)
FLOWGRAPH_SUMS_OF(complex64)
FLOWGRAPH_SUMS_OF(complex128)

#undef FLOWGRAPH_SUMS_OF

}  // namespace flowgraph::detail
#endif
