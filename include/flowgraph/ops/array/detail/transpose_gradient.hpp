#pragma once
// The gradients of Transpose, which is the inverse permutation, and of Tile, which is a sum over the tiles.

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/transpose.hpp>
#include <flowgraph/ops/shared/detail/gradients.hpp>

namespace flowgraph {
inline namespace FLOWGRAPH_ABI {

template <class I> out<I> inverse_permutation(const out<I>& perm) {
  const shape known = detail::known_inverse(detail::constant_value(perm));
  if (!known.has_rank()) return invert_permutation(perm);
  tensor<I> values(shape{known.rank});
  for (int i = 0; i < known.rank; ++i) values.writable()[static_cast<std::size_t>(i)] = static_cast<I>(known[i]);
  return detail::constant_beside(perm, values);
}

// The tiles of dy added up, in the shape of x: each axis is split into the tiles along it and the elements of one.
template <class T, class I> out<T> sum_of_tiles(const out<T>& dy, const out<T>& x, const out<I>& multiples) {
  const out<I> extents = reshape(pack({multiples, shape_of<I>(x)}, 1), {-1});
  const auto number = [&](std::int32_t n) { return detail::constant_beside(x, tensor<std::int32_t>(n)); };
  return reshape_like(sum(reshape(dy, extents), range(number(0), size_of(extents), number(2))), x);
}

}
}  // namespace flowgraph
