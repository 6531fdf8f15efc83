#pragma once
// The axes of a transpose that names none, and the gradients of Transpose, which is the inverse permutation, and of Tile, which
// is a sum over the tiles.

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/transpose.hpp>
#include <flowgraph/ops/shared/detail/gradients.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI {

template <class I> out<I> inverse_permutation(const out<I>& perm) {
  const shape known = detail::known_inverse(detail::constant_value(perm));
  if (!known.has_rank()) return invert_permutation(perm);
  tensor<I> values(shape{known.rank});
  for (int i = 0; i < known.rank; ++i) values.writable()[static_cast<std::size_t>(i)] = static_cast<I>(known[i]);
  return detail::constant_beside(perm, values);
}

template <class T> out<std::int32_t> detail::reversed_axes(const out<T>& x, const site& s) {
  const int rank = x.shape().rank;
  if (rank >= 0) {
    shape axes = shape::unknown_of_rank(rank);
    for (int i = 0; i < rank; ++i) axes[i] = rank - 1 - i;
    return shape_constant(x, axes, part_of(s, "transpose/perm"));
  }
  const auto number = [&](std::int32_t n) { return constant_beside(x, tensor<std::int32_t>(n), s); };
  const out<std::int32_t> count = rank_of(x, s);
  return apply(sub_op{}, apply(sub_op{}, count, number(1), s), range(number(0), count, number(1), s), s);
}

// Adds the tiles of dy, in the shape of x. Each axis is divided into the tiles along it and the elements of one tile.
template <class T, class I> out<T> sum_of_tiles(const out<T>& dy, const out<T>& x, const out<I>& multiples) {
  const out<I> extents = reshape(pack({multiples, shape_of<I>(x)}, 1), {-1});
  const auto number = [&](std::int32_t n) { return detail::constant_beside(x, tensor<std::int32_t>(n)); };
  return reshape_like(sum(reshape(dy, extents), range(number(0), size_of(extents), number(2))), x);
}

}  // namespace flowgraph
