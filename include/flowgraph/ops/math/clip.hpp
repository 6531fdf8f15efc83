#pragma once
// Limits for tensors: for the value of each element, or for the norm of the tensor. For gradients, see train/clip.hpp.

#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

namespace detail {

// Returns x * norm / sqrt(squares) if the root is larger than the norm, otherwise x. The derivative at zeros is 1.
template <class T> out<T> scaled_to_norm(const out<T>& x, const std::type_identity_t<operand<T>>& norm, const out<T>& squares) {
  const out<bool> positive = greater(squares, T(0));
  const out<T> root = select(positive, sqrt(select(positive, squares, ones_like(squares))), squares);
  return x * norm / maximum(root, norm);
}

}  // namespace detail

// Limits each element to [low, high].
template <class T>
out<T> clip_by_value(const out<T>& x, std::type_identity_t<operand<T>> low, std::type_identity_t<operand<T>> high, site s = {}) {
  const detail::inherited_location here(x.source ? x.source->graph : nullptr, s.location);
  return maximum(minimum(x, high), low);
}

// Scales x down to the given norm if the Euclidean norm of x is larger. The Euclidean norm is computed over all elements, or
// along the given axes.
template <class T> out<T> clip_by_norm(const out<T>& x, std::type_identity_t<operand<T>> norm, site s = {}) {
  const detail::inherited_location here(x.source ? x.source->graph : nullptr, s.location);
  return detail::scaled_to_norm(x, norm, sum(x * x));
}
template <class T, reduction_axes A>
out<T> clip_by_norm(const out<T>& x, std::type_identity_t<operand<T>> norm, const A& axes, site s = {}) {
  const detail::inherited_location here(x.source ? x.source->graph : nullptr, s.location);
  return detail::scaled_to_norm(x, norm, sum(x * x, axes, true));
}

// Scales x down if its Euclidean norm divided by its number of elements is larger than `norm`.
template <class T> out<T> clip_by_average_norm(const out<T>& x, std::type_identity_t<operand<T>> norm, site s = {}) {
  const detail::inherited_location here(x.source ? x.source->graph : nullptr, s.location);
  return detail::scaled_to_norm(x, cast<T>(size_of(x)) * norm, sum(x * x));
}

}  // namespace flowgraph
