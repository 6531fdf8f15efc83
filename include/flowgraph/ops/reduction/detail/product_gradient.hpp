#pragma once
// The gradient of Prod. It needs the operators, so operators.hpp includes this header at its end.

#include <flowgraph/ops/operators.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>
#include <flowgraph/ops/reduction/scan.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

// If one factor is zero, only its gradient is not zero. If two factors are zero, all gradients are zero.
template <class T, class I> out<T> product_gradient_by_division(const out<T>& x, const out<I>& axes, const out<T>& dy) {
  const out<T> nothing = scalar_beside(x, T(0));
  const out<bool> is_zero = equal(x, T(0));
  const out<T> nonzero = select(is_zero, scalar_beside(x, T(1)), x);
  const out<T> others = apply(prod_op{{{true}}}, nonzero, axes);
  const out<T> zeros = apply(sum_op{{{true}}}, cast<T>(is_zero), axes);
  const out<T> regular = select(equal(zeros, T(0)), others / nonzero, nothing);
  const out<T> alone = select(logical_and(is_zero, equal(zeros, T(1))), others, nothing);
  return dy * conjugated(regular + alone);
}

// Multiplies the factors before and after each element, so that no factor that is zero, tiny or huge divides. If the axes are not
// known, the product is divided by each element instead.
template <class T, class I> out<T> product_gradient(const out<T>& x, const out<I>& axes, const out<T>& dy) {
  const reduced_axes gone = known_axes(x.shape(), constant_value(axes));
  if (!gone.known) return product_gradient_by_division(x, axes, dy);
  out<T> output = dy, factors = x;  // factors: x, reduced along the axes so far
  for (int axis = 0; axis < x.shape().rank; ++axis) {
    if (!gone.reduced[axis]) continue;
    output = output * conjugated(cumprod(factors, axis, true) * cumprod(factors, axis, true, true));
    factors = prod(factors, axis, true);
  }
  return output;
}

}  // namespace flowgraph::detail
