#pragma once
// The gradient of a slice: a border of zeros around it, which is constant if all extents are known.

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/shared/detail/gradients.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

// Returns dy with zeros around it, in the shape of x. dy is at the place of the slice of x.
template <class T, class I>
FLOWGRAPH_COLD out<T> pad_like(const out<T>& dy, const out<T>& x, const out<I>& begin, const out<I>& size) {
  const any_tensor *known_begin = detail::constant_value(begin), *known_size = detail::constant_value(size);
  shape before, after;
  if (detail::known_paddings(x.shape(), dy.shape(), known_begin, known_size, before, after)) return pad(dy, before, after);
  const out<I> behind = shape_of<I>(x) - begin - shape_of<I>(dy);
  return pad(dy, pack({begin, behind}, 1));
}

}  // namespace flowgraph
