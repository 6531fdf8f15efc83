#pragma once
// The gradients of Gather, GatherV2 and UnsortedSegmentSum: rows of slices if the op gathers along the first axis.

#include <flowgraph/ops/array/concat.hpp>
#include <flowgraph/ops/array/fill.hpp>
#include <flowgraph/ops/array/gather.hpp>
#include <flowgraph/ops/array/slice.hpp>
#include <flowgraph/ops/array/transpose.hpp>
#include <flowgraph/ops/shared/detail/gradients.hpp>

namespace flowgraph::inline FLOWGRAPH_ABI::detail {

template <class T> out<T> flattened_vector(const out<T>& x) { return x.shape().rank == 1 ? x : reshape(x, {-1}); }

// Returns the gradient of params as slices: dy was gathered from rows of params.
template <class T, class I> any_grad gathered_slices(const out<T>& dy, const out<T>& params, const out<I>& indices) {
  const auto rows = cast<std::int64_t>(flattened_vector(indices));
  const auto extents = shape_of<std::int64_t>(params);
  if (indices.shape().rank == 1) return any_slices(rows, dy, extents);
  shape row = params.shape();
  bool known = row.rank >= 1;
  for (int i = 1; i < row.rank; ++i) known = known && row[i] > 0;
  if (known) {
    row[0] = -1;
    return any_slices(rows, reshape(dy, row), extents);
  }
  const auto rest = slice(shape_of(params), {1}, {-1});  // may contain zeros, from which no extent can be computed
  return any_slices(rows, reshape(dy, concat({shape_of(rows), rest}, 0)), extents);
}

// Returns the gradient for another axis than the first, or for a batch: params are batch x outer x extent x inner, dy is batch x
// outer x count x inner. The axes to sum over come first, so that all batches together are one sum of segments.
template <class T, class I, class A>
FLOWGRAPH_COLD out<T> gathered_sum(const out<T>& dy, const out<T>& params, const out<I>& indices, const out<A>& axis,
                                   std::int64_t batch_dims) {
  using index = std::int64_t;
  const out<index> extents = shape_of<index>(params);
  const auto vector = [&](index n) { return constant_beside(params, tensor<index>({1}, {n})); };
  const auto product = [&](const out<index>& first, const out<index>& size) { return prod(slice(extents, first, size)); };

  const int known = known_axis(constant_value(axis), params.shape());
  const out<index> from_end = cast<index>(axis);
  const out<index> at =
      known >= 0 ? vector(known) : reshape(select(from_end < index{0}, from_end + cast<index>(rank_of(params)), from_end), {1});
  const out<index> batch_axes = batch_dims >= 0 ? vector(batch_dims) : reshape(cast<index>(rank_of(indices)) + batch_dims, {1});

  const out<index> batch = product(vector(0), batch_axes), outer = product(batch_axes, at - batch_axes);
  const out<index> extent = reshape(slice(extents, at, vector(1)), shape{}), inner = product(at + index{1}, vector(-1));
  const out<index> count = prod(slice(shape_of<index>(indices), batch_axes, vector(-1)));

  const auto number = [&](index n) { return constant_beside(params, tensor<index>(n)); };
  const out<index> begins = reshape(range(number(0), batch, number(1)) * extent, {-1, 1});
  const out<index> ids = reshape(reshape(cast<index>(indices), pack({batch, count})) + begins, {-1});
  const out<T> rows = transpose(reshape(dy, pack({batch, outer, count, inner})), {0, 2, 1, 3});
  const out<T> sums = unsorted_segment_sum(reshape(rows, pack({batch * count, outer, inner})), ids, batch * extent);
  return reshape_like(transpose(reshape(sums, pack({batch, extent, outer, inner})), {0, 2, 1, 3}), params);
}

template <class T, class I, class A>
any_grad gather_gradient(const out<T>& dy, const out<T>& params, const out<I>& indices, const out<A>& axis,
                         std::int64_t batch_dims) {
  if (batch_dims == 0 && known_axis(constant_value(axis), params.shape()) == 0) return gathered_slices(dy, params, indices);
  return gathered_sum(dy, params, indices, axis, batch_dims);
}

// Returns row ids[i...] of dy for each element of data; zeros if the id is negative.
template <class T, class I> out<T> gather_segments(const out<T>& dy, const out<T>& data, const out<I>& ids) {
  const out<T> rows = gather(dy, maximum(ids, I{0}));
  const out<std::int32_t> ones = ones_like(slice(shape_of(data), shape_of(shape_of(ids)), shape_constant(data, {-1}, {})));
  const out<bool> named = reshape(ids >= I{0}, concat({shape_of(ids), ones}, 0));
  return select(named, rows, zeros_like(rows));
}

}  // namespace flowgraph::detail
