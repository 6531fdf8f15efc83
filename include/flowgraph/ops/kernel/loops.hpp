#pragma once
// The element-wise loops, which apply a functor to contiguous memory. The last elements use the same instructions as all others.

#include <flowgraph/ops/kernel/math.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::kernel {

template <> template <class F, class T> void kernels<own>::unary(const T* x, T* y, std::int64_t n) {
  using P = FLOWGRAPH_LEVEL::packet<T>;
  std::int64_t i = 0;
  for (; i + P::width <= n; i += P::width) F::packet(P::load(x + i)).store(y + i);
  if (i < n) F::packet(P::load(x + i, n - i, 1)).store(y + i, n - i);
}

template <> template <class F, class T> void kernels<own>::binary(const T* a, const T* b, T* y, std::int64_t n) {
  using P = FLOWGRAPH_LEVEL::packet<T>;
  std::int64_t i = 0;
  for (; i + P::width <= n; i += P::width) F::packet(P::load(a + i), P::load(b + i)).store(y + i);
  if (i < n) F::packet(P::load(a + i, n - i, 1), P::load(b + i, n - i, 1)).store(y + i, n - i);
}

template <> template <class F, class T> void kernels<own>::binary_scalar_left(const T* a, const T* b, T* y, std::int64_t n) {
  using P = FLOWGRAPH_LEVEL::packet<T>;
  const P left = *a;
  std::int64_t i = 0;
  for (; i + P::width <= n; i += P::width) F::packet(left, P::load(b + i)).store(y + i);
  if (i < n) F::packet(left, P::load(b + i, n - i, 1)).store(y + i, n - i);
}

template <> template <class F, class T> void kernels<own>::binary_scalar_right(const T* a, const T* b, T* y, std::int64_t n) {
  using P = FLOWGRAPH_LEVEL::packet<T>;
  const P right = *b;
  std::int64_t i = 0;
  for (; i + P::width <= n; i += P::width) F::packet(P::load(a + i), right).store(y + i);
  if (i < n) F::packet(P::load(a + i, n - i, 1), right).store(y + i, n - i);
}

}  // namespace flowgraph::kernel
