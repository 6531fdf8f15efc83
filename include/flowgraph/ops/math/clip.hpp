#pragma once
// Tensors held within bounds: each element, or the norm of all of them. train/clip.hpp does it to gradients.

#include <flowgraph/ops/math/cast.hpp>
#include <flowgraph/ops/math/comparison.hpp>
#include <flowgraph/ops/math/math.hpp>
#include <flowgraph/ops/reduction/reduction.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

namespace detail {

// x times norm / sqrt(squares), where the root is larger than the norm. Its derivative at zeros is one.
template <class T> out<T> scaled_to_norm(const out<T>& x, const std::type_identity_t<operand<T>>& norm, const out<T>& squares) {
  const out<bool> positive = greater(squares, T(0));
  const out<T> root = select(positive, sqrt(select(positive, squares, ones_like(squares))), squares);
  return x * norm / maximum(root, norm);
}

}  // namespace detail

// Brings each element into [low, high].
template <class T>
out<T> clip_by_value(const out<T>& x, std::type_identity_t<operand<T>> low, std::type_identity_t<operand<T>> high, site s = {}) {
  const detail::inherited_location here(x.source ? x.source->graph : nullptr, s.location);
  return maximum(minimum(x, high), low);
}

// Scales x down where its Euclidean norm, of all elements or along some axes, is larger.
template <class T> out<T> clip_by_norm(const out<T>& x, std::type_identity_t<operand<T>> norm, site s = {}) {
  const detail::inherited_location here(x.source ? x.source->graph : nullptr, s.location);
  return detail::scaled_to_norm(x, norm, sum(x * x));
}
template <class T, reduction_axes A>
out<T> clip_by_norm(const out<T>& x, std::type_identity_t<operand<T>> norm, const A& axes, site s = {}) {
  const detail::inherited_location here(x.source ? x.source->graph : nullptr, s.location);
  return detail::scaled_to_norm(x, norm, sum(x * x, axes, true));
}

// Scales x down where the quotient of its norm and its number of elements is larger.
template <class T> out<T> clip_by_average_norm(const out<T>& x, std::type_identity_t<operand<T>> norm, site s = {}) {
  const detail::inherited_location here(x.source ? x.source->graph : nullptr, s.location);
  return detail::scaled_to_norm(x, cast<T>(size_of(x)) * norm, sum(x * x));
}

}
}  // namespace flowgraph
